import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Deadline, waitAtMost, withDeadline } from './deadline.ts'

const never = new Promise<never>(() => undefined)

test('work that ends before its deadline keeps its own outcome', async () => {
  assert.equal(await withDeadline(Promise.resolve(1), { ms: 10_000 }), 1)
  await assert.rejects(withDeadline(Promise.reject(new Error('own')), { ms: 10_000 }), /own/)
})

test('a deadline that passes rejects with the late reason and aborts the signal with it', async () => {
  let given: AbortSignal | undefined
  const late = new Error('late')
  const work = (signal: AbortSignal) => {
    given = signal
    return never
  }

  await assert.rejects(withDeadline(work, { ms: 1, late: () => late }), late)
  assert.equal(given?.reason, late)
})

test('an outer signal ends the wait: waiters get the explained reason, the signal the original', async () => {
  const outer = new AbortController()
  using deadline = new Deadline({
    ms: Number.POSITIVE_INFINITY,
    signal: outer.signal,
    explain: (reason) => new Error(`explained: ${reason}`),
  })
  const waiting = deadline.race(never)

  outer.abort('gone')

  await assert.rejects(waiting, /explained: gone/)
  assert.equal(deadline.signal.reason, 'gone')
  assert.ok(deadline.isOver)
})

test('work whose signal is already aborted is not started', async () => {
  const signal = AbortSignal.abort(new Error('before'))

  await assert.rejects(
    withDeadline(() => assert.fail('begun'), { ms: 1_000, signal }),
    /before/,
  )
})

test('waitAtMost ends without an error when the time is over', async () => {
  await waitAtMost(never, 1)
  await waitAtMost(Promise.resolve(), 10_000)
})
