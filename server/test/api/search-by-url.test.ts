import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultsIn } from '../support/error-bodies.ts'
import { onBothStores } from '../support/test-service.ts'

const lists = ['/v1/tasks', '/v1/extract/jobs', '/v1/crawl/jobs', '/v1/map/jobs']

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
})
