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

/** The minifier looks through an image once for every image that it is in: it takes minutes. */
const trap = '<svg>'.repeat(900_000)

const minified = { HTMLMinifier: { useMinifier: true }, retries: { useRetries: false } }

async function startScene(t: TestContext) {
  const held = await startHoldingSite(t)
  const { createAccount } = await startTestService(t, { environment: reachingLoopback })
  /** The site's only answer for a path, given as soon as it is asked for. */
  const answerWith = async (path: string, body: string): Promise<void> =>
    (await held.untilHeld(path)).answer(200, {}, body)
  return { held, answerWith, account: await createAccount() }
}

test('a page that takes longer to present than its task may', async (t) => {
  const { held, answerWith, account } = await startScene(t)
  const receiver = await startTestReceiver(t)

  await t.test('504 TARGET_TIMEOUT in realtime mode', async () => {
    const body = { url: held.url('/realtime'), timeout_ms: 2000, configurations: minified }
    const answered = scrapeNow(account, body)
    await answerWith('/realtime', trap)

    const answer = await answered

    assertFailure(answer, 'TARGET_TIMEOUT')
    assert.match(answer.json().message, /could not be presented/)
    const task = await getStatus(account, answer.headers['x-request-id'] ?? '')
    assert.deepEqual([task.status, task.error?.code], ['failed', 'TARGET_TIMEOUT'])
  })

  await t.test('a failed callback with TARGET_TIMEOUT in callback mode', async () => {
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

  await t.test('is fetched and presented again where the caller allows it', async () => {
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

test('pages that nobody waits for any more keep no other from being minified', async (t) => {
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
