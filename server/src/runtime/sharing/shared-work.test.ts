import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SharedWork } from './shared-work.ts'

/** Work that ends when it is told to, and notes its starts. */
function startScene() {
  const shared = new SharedWork<string>()
  const starts: (PromiseWithResolvers<string> & { signal: AbortSignal })[] = []
  const ask = (signal?: AbortSignal) =>
    shared.run(
      'key',
      (ending) => {
        const outcome = Promise.withResolvers<string>()
        ending.addEventListener('abort', () => outcome.reject(ending.reason))
        starts.push({ ...outcome, signal: ending })
        return outcome.promise
      },
      signal,
    )
  const startOf = (index: number) => starts[index] ?? assert.fail('It was not started.')
  return { ask, starts, startOf }
}

const disconnected = new Error('hung up')

test('callers who ask at the same time share one piece of work', async () => {
  const { ask, starts, startOf } = startScene()
  const asked = [ask(), ask(), ask()]

  startOf(0).resolve('done')

  assert.deepEqual(await Promise.all(asked), ['done', 'done', 'done'])
  assert.equal(starts.length, 1)
})

test('a caller who leaves, even the first, does not end the work for another', async () => {
  const { ask, starts, startOf } = startScene()
  const caller = new AbortController()
  const [first, second] = [ask(caller.signal), ask()]

  caller.abort(disconnected)
  await assert.rejects(first, disconnected)
  assert.equal(startOf(0).signal.aborted, false)
  startOf(0).resolve('done')

  assert.equal(await second, 'done')
  assert.equal(starts.length, 1)
})

test('the work is aborted with its last caller, and the next one starts anew', async () => {
  const { ask, starts, startOf } = startScene()
  const caller = new AbortController()
  const asked = [ask(caller.signal), ask(caller.signal)]

  caller.abort(disconnected)
  for (const one of asked) await assert.rejects(one, disconnected)
  assert.equal(startOf(0).signal.reason, disconnected)
  const next = ask()
  startOf(1).resolve('anew')

  assert.equal(await next, 'anew')
  assert.equal(starts.length, 2)
})

test('a failure reaches all who wait for it and is not kept', async () => {
  const { ask, starts, startOf } = startScene()
  const asked = [ask(), ask()]
  startOf(0).reject(new Error('broken'))
  for (const one of asked) await assert.rejects(one, /broken/)

  const next = ask()
  startOf(1).resolve('mended')

  assert.equal(await next, 'mended')
  assert.equal(starts.length, 2)
})

test('a caller who has left already starts nothing', async () => {
  const { ask, starts } = startScene()

  await assert.rejects(ask(AbortSignal.abort(disconnected)), disconnected)

  assert.equal(starts.length, 0)
})
