import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Semaphore } from './semaphore.ts'

/** An action that runs until the test ends it. */
function slow() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  return { act: () => promise, end: resolve, fail: reject }
}

test('a semaphore runs at most the allowed callers at once, and starts the next when one ends', async () => {
  const semaphore = new Semaphore({ atOnceMax: 1, waitingMax: 5 })
  const started: string[] = []
  const first = slow()
  const one = semaphore.run(() => {
    started.push('first')
    return first.act()
  })
  const two = semaphore.run(async () => {
    started.push('second')
    return 'b'
  })
  assert.deepEqual(started, ['first'])

  first.end('a')

  assert.deepEqual([await one, await two], [{ result: 'a' }, { result: 'b' }])
  assert.deepEqual(started, ['first', 'second'])
})

test('a caller is refused while too many are waiting', async () => {
  const semaphore = new Semaphore({ atOnceMax: 1, waitingMax: 1 })
  const first = slow()
  const [one, two] = [semaphore.run(first.act), semaphore.run(async () => 'b')]

  assert.equal(await semaphore.run(async () => 'c'), undefined)

  first.end('a')
  await Promise.all([one, two])
  assert.deepEqual(await semaphore.run(async () => 'd'), { result: 'd' })
})

test('a caller that fails passes its permit to the next', async () => {
  const semaphore = new Semaphore({ atOnceMax: 1, waitingMax: 1 })
  const first = slow()
  const one = semaphore.run(first.act)
  const two = semaphore.run(async () => 'b')

  first.fail(new Error('broken'))

  await assert.rejects(one, /broken/)
  assert.deepEqual(await two, { result: 'b' })
})

test('a patient caller waits although too many are waiting', async () => {
  const semaphore = new Semaphore({ atOnceMax: 1, waitingMax: 0 })
  const first = Promise.withResolvers<string>()
  const running = semaphore.run(() => first.promise)
  const refused = await semaphore.run(async () => 'refused')
  const patient = semaphore.run(async () => 'patient', { isPatient: true })
  first.resolve('first')
  assert.deepEqual(
    [await running, refused, await patient],
    [{ result: 'first' }, undefined, { result: 'patient' }],
  )
})
