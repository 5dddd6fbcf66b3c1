import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextRound, setTimeout as pause } from 'node:timers/promises'
import { CallerPriority } from './caller-priority.ts'

test('work delays requests of other accounts while the event loop is saturated', async () => {
  const priority = new CallerPriority()
  const end = priority.begin('other')
  await saturateLoop(() => !priority.delaysOthers('greedy'))

  assert.equal(priority.delaysOthers('greedy'), true)
  assert.equal(priority.delaysOthers('other'), false, 'its own request only')
  end()
  assert.equal(priority.delaysOthers('greedy'), false, 'no request is being handled')
})

test('work delays nobody any more once the event loop has time', async () => {
  const priority = new CallerPriority()
  priority.begin('other')
  await saturateLoop(() => !priority.delaysOthers('greedy'))
  while (priority.delaysOthers('greedy')) await pause(10)
})

test('an account with several requests counts until the last has ended', async () => {
  const priority = new CallerPriority()
  const [first, last] = [priority.begin('other'), priority.begin('other')]
  await saturateLoop(() => !priority.delaysOthers('greedy'))
  first()
  assert.equal(priority.delaysOthers('greedy'), true)
  last()
  assert.equal(priority.delaysOthers('greedy'), false)
})

async function saturateLoop(isNotYet: () => boolean): Promise<void> {
  while (isNotYet()) {
    const untilMs = performance.now() + 20
    while (performance.now() < untilMs);
    await nextRound()
  }
}
