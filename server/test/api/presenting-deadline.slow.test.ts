import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type TestContext, test } from 'node:test'
import type { ApiResponse } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { retryWhileUnavailable } from '../support/retry-while-unavailable.ts'
import { getStatus, reachingLoopback, realtimePath, submitTask } from '../support/scrape-calls.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

/** The minifier scans nested images once per level: this page takes minutes. */
const trap = '<svg>'.repeat(60_000)
/** As large as the trap, so that it waits for the same minifier. */
const page = `<p>one    two</p>${' '.repeat(trap.length)}`
const minifiedPage = '<p>one two</p> '

const minified = { HTMLMinifier: { useMinifier: true } }

async function startScene(t: TestContext) {
  const held = await startHoldingSite(t)
  const { createAccount } = await startTestService(t, { environment: reachingLoopback })
  const account = await createAccount()
  const bodyFor = (path: string) => ({
    url: held.url(path),
    timeout_ms: 3_000,
    configurations: minified,
  })
  /** Responds to the first request for a path as soon as it arrives. */
  const answer = async (path: string, body: string): Promise<void> =>
    (await held.untilHeld(path)).answer(200, {}, body)
  return {
    held,
    account,
    bodyFor,
    answer,
    async scrape(path: string, body: string, options: { timeout_ms?: number } = {}) {
      const request = `POST ${realtimePath}`
      const call = () => account.callWithoutRetry(request, { ...bodyFor(path), ...options })
      // A busy machine refuses requests before it fetches anything, which these tests are not about.
      const isRefused = ({ statusCode, text }: ApiResponse) =>
        statusCode === 503 && !text.includes('arrived in time')
      const answered = retryWhileUnavailable(call, isRefused)
      await answer(path, body)
      return answered
    },
  }
}

function watchProcesses(t: TestContext): { count: number } {
  const started = { count: 0 }
  const note = () => {
    started.count += 1
  }
  subscribe('child_process', note)
  t.after(() => unsubscribe('child_process', note))
  return started
}

test('a page that takes longer to convert than its caller waits is CONTENT_TOO_COMPLEX, and is not fetched again', async (t) => {
  const { scrape, account, held } = await startScene(t)

  const answer = await scrape('/realtime', trap)

  assertFailure(answer, 'CONTENT_TOO_COMPLEX')
  assert.match(answer.json().message, /arrived in time/)
  const task = await getStatus(account, answer.headers['x-request-id'] ?? '')
  assert.deepEqual([task.status, task.error?.code], ['failed', 'CONTENT_TOO_COMPLEX'])
  assert.equal(held.heldAt('/realtime').length, 1)
})

test('while one page takes the minifier ten seconds', async (t) => {
  const processes = watchProcesses(t)
  const receiver = await startTestReceiver(t)
  const { answer, account, bodyFor, scrape } = await startScene(t)
  const callbackUrl = `${receiver.url}/callback`
  const submit = (path: string) => submitTask(account, { ...bodyFor(path), callbackUrl })
  const trapId = await submit('/trap')
  await answer('/trap', trap)
  await until(() => processes.count === 1)
  const waitingIds = await Promise.all(
    ['/first', '/second'].map(async (path) => {
      const id = await submit(path)
      await answer(path, page)
      return id
    }),
  )

  await t.test(
    'a caller whose page waits for it gets OVERLOADED, not a blamed target',
    async () => {
      const answered = await scrape('/realtime', page)

      assertFailure(answered, 'OVERLOADED')
      assert.ok(answered.headers['retry-after'])
      assert.match(answered.json().message, /arrived in time/)
    },
  )

  await t.test(
    'pages that came in time are converted after it, whatever their timeout is',
    async () => {
      const posted = await receiver.arrivals(3, '/callback')

      const ended = new Map(posted.map(({ json }) => [json.requestId, json]))
      assert.equal(ended.get(trapId)?.result.html, trap)
      for (const id of waitingIds) {
        const { status, error, result } = ended.get(id) ?? {}
        assert.deepEqual([status, error, result?.html], ['completed', null, minifiedPage])
      }
    },
  )
})

test('pages that nobody waits for any more do not block the minifier', async (t) => {
  const { scrape } = await startScene(t)

  const failed = await Promise.all(['/first', '/second', '/third'].map((at) => scrape(at, trap)))
  // Long enough for a busy machine, and not for three more traps.
  const next = await scrape('/next', page, { timeout_ms: 30_000 })

  assert.deepEqual(failed.map((answer) => answer.json().code).sort(), [
    'CONTENT_TOO_COMPLEX',
    'OVERLOADED',
    'OVERLOADED',
  ])
  assert.equal(next.text, minifiedPage)
})
