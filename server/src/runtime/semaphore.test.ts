import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Semaphore } from './semaphore.ts'

/** Something that goes on until it is ended. */
function slow() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  return { act: () => promise, end: resolve, fail: reject }
}

test('a semaphore runs no more callers at once than allowed, and the next begins when one has ended', async () => {
  const turns = new Semaphore({ atOnceMax: 1, waitingMax: 5 })
  const begun: string[] = []
  const first = slow()
  const one = turns.run(() => {
    begun.push('first')
    return first.act()
  })
  const two = turns.run(async () => {
    begun.push('second')
    return 'b'
  })
  assert.deepEqual(begun, ['first'])

  first.end('a')

  assert.deepEqual([await one, await two], [{ result: 'a' }, { result: 'b' }])
  assert.deepEqual(begun, ['first', 'second'])
})

test('a caller that comes when too many wait is refused', async () => {
  const turns = new Semaphore({ atOnceMax: 1, waitingMax: 1 })
  const first = slow()
  const [one, two] = [turns.run(first.act), turns.run(async () => 'b')]

  assert.equal(await turns.run(async () => 'c'), undefined)

  first.end('a')
  await Promise.all([one, two])
  assert.deepEqual(await turns.run(async () => 'd'), { result: 'd' })
})

test('a caller that fails passes its permit on as well', async () => {
  const turns = new Semaphore({ atOnceMax: 1, waitingMax: 1 })
  const first = slow()
  const one = turns.run(first.act)
  const two = turns.run(async () => 'b')

  first.fail(new Error('broken'))

  await assert.rejects(one, /broken/)
  assert.deepEqual(await two, { result: 'b' })
})
