/** Second paths of one operation, all of them together. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from '../../src/http/route.ts'
import { routes } from '../../src/http/routes.ts'
import { submitBatch, untilBatchEnded } from '../support/batch-calls.ts'
import { type ApiResponse, callApi } from '../support/call-api.ts'
import { startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'

const aliased = routes.filter(({ aliases }) => aliases !== undefined)
const unknown = '01890000-0000-7000-8000-000000000000'

/** A request by the first path and by each of the others. */
function requestsTo({ method, path, aliases = [] }: Route, id: string, query = '') {
  const request = (one: string) => `${method} ${one.replace(/:\w+/, id)}${query}`
  return { first: request(path), others: aliases.map(request) }
}

const bodyOf = ({ text }: ApiResponse): string => text.replace(/"correlation_id":"[^"]+"/, '')

onBothStores((kind, start) => {
  test(`${kind}: the aliases of a path answer as the path itself`, async (t) => {
    const site = await startPageSite(t)
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    const batch = await submitBatch(account, { urls: [site.url('/'), site.url('/b')] })
    const crawlId = await startCrawl(account, { url: site.url('/') })
    const map = await account.call('POST /v1/map', { url: site.url('/') })
    const page = await account.call('POST /v1/extract', { url: site.url('/') })
    await untilBatchEnded(account, batch.job_id)
    await untilCrawled(account, crawlId)
    const ids: Record<string, string | undefined> = {
      getExtractJob: page.headers['x-job-id'],
      getBatch: batch.job_id,
      getCrawl: crawlId,
      getMap: map.headers['x-job-id'],
      // There is no search yet.
      getSearchJob: unknown,
    }
    assert.deepEqual(aliased.map(({ operationId }) => operationId).sort(), Object.keys(ids).sort())

    for (const route of aliased) {
      for (const query of ['', '?page=2&page_size=1']) {
        const { first, others } = requestsTo(route, ids[route.operationId] ?? '', query)
        const expected = await account.call(first)
        assert.equal(expected.statusCode, ids[route.operationId] === unknown ? 404 : 200, first)
        for (const other of others) {
          assert.equal(bodyOf(await account.call(other)), bodyOf(expected), other)
        }
      }
      for (const other of requestsTo(route, unknown).others) {
        assertFailure(await callApi(service.url, other), 'UNAUTHORIZED')
        assertFailure(await account.call(other), 'NOT_FOUND')
        assertFailure(await account.call(other.replace('GET', 'POST')), 'METHOD_NOT_ALLOWED')
      }
      for (const other of requestsTo(route, 'x').others) {
        assert.deepEqual(faultsIn(await account.call(other)), ['path.job_id uuid_parsing'])
      }
    }
  })
})
