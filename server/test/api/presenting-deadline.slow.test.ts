import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { assertFailure } from '../support/error-bodies.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import {
  callbackPath,
  getStatus,
  reachingLoopback,
  scrapeNow,
  submitTask,
  untilStatus,
} from '../support/scrape-calls.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { startTestService } from '../support/test-service.ts'

/** The minifier scans nested images once per level: this page takes minutes. */
const trap = '<svg>'.repeat(900_000)

const minified = { HTMLMinifier: { useMinifier: true }, retries: { useRetries: false } }

async function startScene(t: TestContext) {
  const held = await startHoldingSite(t)
  const { createAccount } = await startTestService(t, { environment: reachingLoopback })
  /** Responds to the first request for a path as soon as it arrives. */
  const answerWith = async (path: string, body: string): Promise<void> =>
    (await held.untilHeld(path)).answer(200, {}, body)
  return { held, answerWith, account: await createAccount() }
}

test('a page whose conversion takes longer than the task timeout', async (t) => {
  const { held, answerWith, account } = await startScene(t)
  const receiver = await startTestReceiver(t)

  await t.test('a conversion past the timeout is a realtime 504 TARGET_TIMEOUT', async () => {
    const body = { url: held.url('/realtime'), timeout_ms: 2000, configurations: minified }
    const answered = scrapeNow(account, body)
    await answerWith('/realtime', trap)

    const answer = await answered

    assertFailure(answer, 'TARGET_TIMEOUT')
    assert.match(answer.json().message, /could not be presented/)
    const task = await getStatus(account, answer.headers['x-request-id'] ?? '')
    assert.deepEqual([task.status, task.error?.code], ['failed', 'TARGET_TIMEOUT'])
  })

  await t.test('a conversion past the timeout is a TARGET_TIMEOUT callback', async () => {
    const callbackUrl = `${receiver.url}/callback`
    const body = { url: held.url('/callback'), timeout_ms: 2000, configurations: minified }
    const id = await submitTask(account, { ...body, callbackUrl })
    await answerWith('/callback', trap)

    const [posted] = await receiver.arrivals(1, '/callback')

    const { requestId, status, result, error } = posted?.json ?? {}
    assert.deepEqual(
      [requestId, status, result, error.code, error.retryable],
      [id, 'failed', null, 'TARGET_TIMEOUT', true],
    )
    assert.equal((await untilStatus(account, id, 'failed')).error?.code, 'TARGET_TIMEOUT')
    assertFailure(await account.call(`GET ${callbackPath}/${id}/result`), 'TARGET_TIMEOUT')
  })

  await t.test('a conversion past the timeout is retried if retries are on', async () => {
    const configurations = { ...minified, retries: { maxRetries: 1 } }
    const body = { url: held.url('/again'), timeout_ms: 6000, configurations }
    const answered = scrapeNow(account, body)
    await answerWith('/again', trap)
    ;(await held.untilHeld('/again', 2)).answer(200, {}, '<p>one    two</p>')

    const answer = await answered

    assert.equal(answer.text, '<p>one two</p>')
    assert.equal(answer.headers['x-attempts'], '2')
  })
})

test('pages that nobody waits for any more do not block the minifier', async (t) => {
  const { held, answerWith, account } = await startScene(t)
  const failed = ['/first', '/second', '/third'].map(async (path) => {
    const body = { url: held.url(path), timeout_ms: 2000, configurations: minified }
    const [answer] = await Promise.all([scrapeNow(account, body), answerWith(path, trap)])
    assertFailure(answer, 'TARGET_TIMEOUT')
  })
  await Promise.all(failed)

  const body = { url: held.url('/next'), timeout_ms: 8000, configurations: minified }
  const [answer] = await Promise.all([
    scrapeNow(account, body),
    answerWith('/next', '<p>one    two</p>'),
  ])

  assert.equal(answer.text, '<p>one two</p>')
})
