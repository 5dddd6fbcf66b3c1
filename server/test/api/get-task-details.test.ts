import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TaskDetails } from '../../src/wire/tasks/responses.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { extract } from '../support/extract-calls.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback, submitTask, untilDelivery } from '../support/scrape-calls.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'

async function getDetails(account: TestAccount, id: string): Promise<TaskDetails> {
  const response = await account.call(`GET /v1/tasks/${id}`)
  assert.equal(response.statusCode, 200, response.text)
  return TaskDetails.strict().parse(response.json())
}

onBothStores((kind, start) => {
  test(`${kind}: the details of a task`, async (t) => {
    const site = await startPageSite(t)
    site.page('/', '<p>page</p>')
    const receiver = await startTestReceiver(t)
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()

    await t.test(
      'an extraction shows its options, credentials redacted, and its attempts',
      async () => {
        const response = await extract(account, {
          url: site.url('/').replace('http://', 'http://user:hidden@'),
          formats: ['markdown'],
          headers: { Authorization: 'hidden', 'Accept-Language': 'de', Cookie: 'a=hidden' },
          session: 'customer-17',
        })
        const details = await getDetails(account, String(response.headers['x-job-id']))

        assert.deepEqual(details.options, {
          method: 'GET',
          timeout_ms: 60_000,
          render_js: false,
          formats: ['markdown'],
          proxy: null,
          headers: { Authorization: '***', 'Accept-Language': 'de', Cookie: '***' },
          wait_config: null,
          session: 'customer-17',
        })
        assert.deepEqual(details.request, {
          path: '/v1/extract',
          body: { url: site.url('/'), formats: ['markdown'], session: 'customer-17' },
          left_out: ['user and password of url', 'headers', 'configurations.cookies'],
        })
        assert.equal(details.attempt_log.length, 1)
        const [{ engine, outcome, http_status, timings } = assert.fail()] = details.attempt_log
        assert.deepEqual(
          { engine, outcome, http_status },
          { engine: 'http', outcome: 'page', http_status: 200 },
        )
        assert.equal(typeof timings?.['first_byte'], 'number')
        assert.doesNotMatch(JSON.stringify(details), /hidden/)
      },
    )

    await t.test('a callback task shows its deliveries, metadata and callback', async () => {
      const webhook = { url: `${receiver.url}/hook`, event_type: 'extract_completed' }
      const { id: webhookId } = (await account.call('POST /v1/webhooks', webhook)).json()
      const callbackUrl = `${receiver.url}/callback`
      const id = await submitTask(account, { url: site.url('/'), callbackUrl, metadata: { a: 1 } })
      await untilDelivery(account, id, 'delivered')

      const { callback_url, metadata, deliveries, request } = await getDetails(account, id)

      assert.deepEqual(
        { callback_url, metadata },
        { callback_url: callbackUrl, metadata: { a: 1 } },
      )
      assert.deepEqual(request, {
        path: '/api/scraper/scrape/callback',
        body: { url: site.url('/'), callbackUrl, metadata: { a: 1 } },
        left_out: [],
      })
      const callback = deliveries.find(({ webhook_id }) => webhook_id === null)
      assert.equal(callback?.status, 'delivered')
      assert.equal(callback?.http_status, 200)
      assert.deepEqual(
        callback?.attempts.map(({ number, http_status, error }) => [number, http_status, error]),
        [[1, 200, null]],
      )
      assert.equal(callback?.next_attempt_at, null)
      assert.ok(deliveries.some((one) => one.webhook_id === webhookId))
    })

    await t.test('an unknown id is not found, a malformed one not valid', async () => {
      const unknown = '01a1def5-68ae-7e29-9849-4f82ca93e413'
      assertFailure(await account.call(`GET /v1/tasks/${unknown}`), 'NOT_FOUND')
      assertFailure(await account.call('GET /v1/tasks/all'), 'VALIDATION_ERROR')
    })
  })
})
