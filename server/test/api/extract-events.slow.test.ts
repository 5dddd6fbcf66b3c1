/** `extract_completed`: one event to each active webhook for every extraction that ends. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  extract,
  failureIn,
  getJob,
  once,
  submitExtraction,
  untilEnded,
} from '../support/extract-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { callbackPath, reachingLoopback } from '../support/scrape-calls.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'

async function subscribe(account: TestAccount, url: string): Promise<string> {
  const webhook = { url, event_type: 'extract_completed' }
  return (await account.call('POST /v1/webhooks', webhook)).json().id
}

/** The ids of the jobs whose events are stored for a webhook, those that are never sent left out. */
async function storedEvents(account: TestAccount, webhookId: string): Promise<string[]> {
  const { items } = (await account.call(`GET /v1/webhooks/${webhookId}/deliveries`)).json()
  return items.flatMap(({ job_id, status }: { job_id: string; status: string }) =>
    status === 'skipped' ? [] : [job_id],
  )
}

onBothStores((kind, start) => {
  test(`${kind}: the event of an extraction`, async (t) => {
    const site = await startTestSite(t)
    const held = await startHoldingSite(t)
    const receiver = await startTestReceiver(t)
    const service = await start(t, { environment: reachingLoopback })

    const endings: [
      name: string,
      status: string,
      end: (account: TestAccount) => Promise<string>,
    ][] = [
      [
        'completed while its caller waits',
        'completed',
        async (account) => idOf(await extract(account, { url: site.url('/') })),
      ],
      [
        'failed while its caller waits',
        'failed',
        async (account) => idOf(await extract(account, { url: site.url('/reset'), ...once })),
      ],
      [
        'completed later',
        'completed',
        (account) => submitExtraction(account, { url: site.url('/'), formats: ['markdown'] }),
      ],
      [
        'failed later',
        'failed',
        (account) => submitExtraction(account, { url: site.url('/reset'), ...once }),
      ],
      [
        'was cancelled',
        'cancelled',
        async (account) => {
          const id = await submitExtraction(account, { url: held.url('/cancelled') })
          await held.untilHeld('/cancelled')
          await account.call(`DELETE ${callbackPath}/${id}`)
          return id
        },
      ],
    ]
    for (const [name, status, end] of endings) {
      await t.test(`an extraction that ${name} has one event with the job`, async () => {
        const account = await service.createAccount()
        const path = `/${name.replaceAll(' ', '-')}`
        const webhookId = await subscribe(account, receiver.url + path)

        const id = await end(account)
        const job = await untilEnded(account, id)

        // The commit that ends the task stores its event, so whoever sees the end sees the event.
        assert.deepEqual(await storedEvents(account, webhookId), [id])
        const [event] = await receiver.arrivals(1, path)
        assert.equal(job.status, status)
        const {
          event: type,
          webhook_id,
          data,
          delivery_id,
          timestamp,
          ...others
        } = event?.json ?? {}
        assert.deepEqual([type, webhook_id, data], ['extract_completed', webhookId, job])
        assert.match(delivery_id, /^[0-9a-f-]{36}$/)
        assert.equal(timestamp, job.completed_at)
        assert.deepEqual(others, {})
        assert.deepEqual(await storedEvents(account, webhookId), [id])
      })
    }

    await t.test('every active webhook gets the event, a paused one does not', async () => {
      const account = await service.createAccount()
      const [one, two, paused] = [
        await subscribe(account, `${receiver.url}/one`),
        await subscribe(account, `${receiver.url}/two`),
        await subscribe(account, `${receiver.url}/paused`),
      ]
      await account.call(`PATCH /v1/webhooks/${paused}`, { is_active: false })

      const id = idOf(await extract(account, { url: site.url('/') }))

      assert.deepEqual(await storedEvents(account, one), [id])
      assert.deepEqual(await storedEvents(account, two), [id])
      assert.deepEqual(await storedEvents(account, paused), [])
    })

    await t.test('a job over 8 MiB is a link in its event', async () => {
      const account = await service.createAccount()
      await subscribe(account, `${receiver.url}/large`)
      const url = site.url(`/big/${9 * 2 ** 20}`)

      const id = idOf(await extract(account, { url, formats: ['text'] }))

      const [event] = await receiver.arrivals(1, '/large')
      const result_url = `${service.url}/v1/extract/${id}`
      assert.deepEqual(event?.json.data, { job_id: id, status: 'completed', result_url })
      assert.equal((await getJob(account, id)).data?.text?.length, 9 * 2 ** 20)
    })
  })

  test(`${kind}: an extraction that expires has one event and counts as failed`, async (t) => {
    const held = await startHoldingSite(t)
    const receiver = await startTestReceiver(t)
    const service = await start(t, {
      environment: { ...reachingLoopback, TRAWL_ROLES: 'api,delivery' },
    })
    const account = await service.createAccount()
    const webhookId = await subscribe(account, `${receiver.url}/expired`)

    const response = await extract(account, { url: held.url('/'), timeout: 1000 })

    const { error } = failureIn(response)
    assert.deepEqual([error.code, error.details], ['TIMEOUT', { reason: 'EXPIRED' }])
    const id = idOf(response)
    assert.deepEqual(await storedEvents(account, webhookId), [id])
    const [event] = await receiver.arrivals(1, '/expired')
    assert.deepEqual(event?.json.data, await getJob(account, id))
    const statistics = (await account.call('GET /v1/statistics')).json()
    const { extraction_count, success_rate, period_tokens_used } = statistics
    assert.deepEqual([extraction_count, success_rate, period_tokens_used], [1, 0, 0])
  })
})

const idOf = (response: { headers: Record<string, string | undefined> }): string =>
  response.headers['x-job-id'] ?? ''
