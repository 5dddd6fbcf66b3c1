import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RunningCalls } from './running-calls.ts'

const start = (
  running: RunningCalls,
  given: { accountId?: string; session?: string; requestId?: string | number } = {},
) => {
  const cancelled = new AbortController()
  const place = { accountId: 'ada', session: undefined, requestId: 1, ...given, cancelled }
  return { call: running.tryStart(place), isCancelled: () => cancelled.signal.aborted }
}

const cancellation = (accountId: string, requestId: unknown) => ({
  account: { id: accountId, username: accountId, isEnabled: true, createdAtMs: 0 },
  message: { method: 'notifications/cancelled', params: { requestId } },
})

test('an account has 256 calls at once, another account is not affected, and ends make room', () => {
  const running = new RunningCalls()
  const calls = Array.from({ length: 256 }, () => start(running).call)

  assert.ok(calls.every((call) => call !== undefined))
  assert.equal(start(running).call, undefined)
  assert.notEqual(start(running, { accountId: 'bob' }).call, undefined)
  calls[0]?.[Symbol.dispose]()
  assert.notEqual(start(running).call, undefined)
  assert.equal(start(running).call, undefined)
})

test('a cancellation reaches the call of its account, session and id only', () => {
  const running = new RunningCalls()
  const meant = start(running, { session: 's' })
  const others = [
    start(running, { session: 's', requestId: '1' }),
    start(running, { session: 'other' }),
    start(running, { session: 's', accountId: 'bob' }),
    start(running),
  ]

  running.cancelNamedBy(cancellation('ada', 1), undefined)
  assert.equal(meant.isCancelled(), false)
  running.cancelNamedBy(cancellation('ada', 1), 's')

  assert.equal(meant.isCancelled(), true)
  assert.deepEqual(
    others.map((one) => one.isCancelled()),
    [false, false, false, false],
  )
})

test('a call that has ended cannot be cancelled any more', () => {
  const running = new RunningCalls()
  const { call, isCancelled } = start(running, { session: 's' })
  call?.[Symbol.dispose]()

  running.cancelNamedBy(cancellation('ada', 1), 's')

  assert.equal(isCancelled(), false)
})
