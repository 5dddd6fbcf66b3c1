import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submitBatch } from '../support/batch-calls.ts'
import { faultsIn } from '../support/error-bodies.ts'
import { watchHangUps } from '../support/hang-ups.ts'
import { watchSearchThread } from '../support/search-thread.ts'
import { onBothStores } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const lists = ['/v1/tasks', '/v1/extract/jobs', '/v1/crawl/jobs', '/v1/map/jobs', '/v1/jobs']

onBothStores((kind, start) => {
  test(`${kind}: a part of a URL to search by has at most 200 characters`, async (t) => {
    const service = await start(t)
    const account = await service.createAccount()
    const [allowed, tooLong] = ['a'.repeat(200), 'a'.repeat(201)]

    for (const path of lists) {
      const refused = await account.call(`GET ${path}?url=${tooLong}`)
      assert.deepEqual(faultsIn(refused), ['query.url string_too_long'], path)
      assert.equal((await account.call(`GET ${path}?url=${allowed}`)).statusCode, 200, path)
    }
    const map = await account.call('POST /v1/map', { url: 'http://a.test/', search: tooLong })
    assert.deepEqual(faultsIn(map), ['body.search string_too_long'])
  })

  test(`${kind}: a search ends when its caller hangs up, whether it runs or waits`, async (t) => {
    const thread = watchSearchThread(t)
    const hangUps = watchHangUps(t)
    // Nobody works on the tasks.
    const service = await start(t, { environment: { TRAWL_ROLES: 'api' } })
    const account = await service.createAccount()
    const urls = Array.from({ length: 120 }, (_, number) => `http://a.test/${number}`)
    await submitBatch(account, { urls })
    const path = '/v1/tasks?url=a.test&page_size=1'
    const search = async () => (await account.call(`GET ${path}`)).json().page_count
    assert.equal(await search(), 120)
    // Fifty rows at a time.
    assert.equal(thread.turnsCount, 3)
    thread.hold()
    const caller = new AbortController()
    const abandoned = Array.from({ length: 6 }, () =>
      fetch(service.url + path, {
        headers: { 'x-api-key': account.apiKey },
        signal: caller.signal,
      }).then(
        () => 'answered',
        () => 'hung up',
      ),
    )
    // One runs, and the others wait.
    await until(() => thread.turnsCount === 4)

    caller.abort()
    await until(() => hangUps.count === 6)
    thread.release()

    assert.deepEqual([...new Set(await Promise.all(abandoned))], ['hung up'])
    assert.equal(await search(), 120)
    // It had its turn after them, so they would have been counted.
    assert.equal(thread.turnsCount, 7)
  })
})
