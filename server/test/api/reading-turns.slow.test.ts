import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submitBatch } from '../support/batch-calls.ts'
import { watchHangUps } from '../support/hang-ups.ts'
import { watchSearchThread } from '../support/search-thread.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const atOnceMax = 1
const waitingMax = 50

onBothStores((kind, start) => {
  test(`${kind}: an account that asks for many lists waits for its own, and no other account does`, async (t) => {
    const thread = watchSearchThread(t)
    const service = await start(t, { environment: onlyAccepting })
    const [greedy, other] = [await service.createAccount(), await service.createAccount()]
    const [asked, askedByOther] = [await listsOf(greedy), await listsOf(other)]
    thread.hold()
    const searches = Array.from({ length: atOnceMax }, () => greedy.call('GET /v1/tasks?url=a'))
    await until(() => thread.turnsCount === atOnceMax)
    let servedCount = 0
    const waiting = asked.map(async (path) => {
      const { statusCode } = await greedy.callWithoutRetry(`GET ${path}`)
      servedCount += 1
      return statusCode
    })

    for (const path of askedByOther) {
      assert.equal((await other.call(`GET ${path}`)).statusCode, 200, path)
    }
    const accepted = await other.call('POST /v1/batch', { urls: ['http://a.test/'] })

    assert.equal(accepted.statusCode, 202, accepted.text)
    assert.equal(servedCount, 0)
    thread.release()
    await Promise.all(searches)
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set([200]))
  })

  test(`${kind}: too many lists of an account at once are refused, and those whose callers hung up do not count`, async (t) => {
    const thread = watchSearchThread(t)
    const hangUps = watchHangUps(t)
    const service = await start(t, { environment: onlyAccepting })
    const account = await service.createAccount()
    await submitBatch(account, { urls: ['http://a.test/'] })
    thread.hold()
    const searches = Array.from({ length: atOnceMax }, () => account.call('GET /v1/tasks?url=a'))
    await until(() => thread.turnsCount === atOnceMax)
    const headers = { 'x-api-key': account.apiKey }
    const caller = new AbortController()
    const refused: Response[] = []
    const abandoned = Array.from({ length: waitingMax + 3 }, async () => {
      const response = await fetch(`${service.url}/v1/tasks`, { headers, signal: caller.signal })
      refused.push(response)
    })
    const allEnded = Promise.allSettled(abandoned)
    await until(() => refused.length === 3)
    const [first] = refused

    assert.equal(first?.status, 429)
    assert.equal(first.headers.get('retry-after'), '1')
    assert.match(await first.text(), /Too many lists of this account.*Wait for some to end/)
    caller.abort()
    await allEnded
    await until(() => hangUps.count === waitingMax)
    const waiting = Array.from({ length: waitingMax }, () =>
      account.callWithoutRetry('GET /v1/tasks'),
    )
    thread.release()
    await Promise.all(searches)
    const statuses = (await Promise.all(waiting)).map(({ statusCode }) => statusCode)
    assert.deepEqual(new Set(statuses), new Set([200]))
  })
})

/** Nobody works on the tasks. */
const onlyAccepting = { TRAWL_ROLES: 'api' }

/** Everything that may take the store long. */
async function listsOf(account: TestAccount): Promise<string[]> {
  const { job_id } = await submitBatch(account, { urls: ['http://a.test/'] })
  const webhook = await account.call('POST /v1/webhooks', {
    url: 'https://receiver.example/',
    event_type: 'extract_completed',
  })
  assert.equal(webhook.statusCode, 201, webhook.text)
  return [
    '/v1/tasks',
    '/api/scraper/scrape/callback',
    '/v1/extract/jobs',
    '/v1/batch/jobs',
    '/v1/crawl/jobs',
    '/v1/map/jobs',
    '/v1/domains',
    '/v1/series',
    '/v1/statistics',
    `/v1/batch/${job_id}`,
    `/v1/webhooks/${webhook.json().id}/deliveries`,
  ]
}
