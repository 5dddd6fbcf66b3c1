import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import {
  callbackPath,
  getStatus,
  reachingLoopback,
  scrapeNow,
  submitTask,
  untilStatus,
} from '../support/scrape-calls.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'

const badQueries: [query: string, fault: string][] = [
  ['page=0', 'query.page greater_than_equal'],
  ['page=x', 'query.page int_parsing'],
  ['page_size=0', 'query.page_size greater_than_equal'],
  ['page_size=101', 'query.page_size less_than_equal'],
  ['status=open', 'query.status literal_error'],
  ['status=', 'query.status literal_error'],
  ['status=queued&status=failed', 'query.status literal_error'],
]

async function idsOf(account: TestAccount, query = ''): Promise<string[]> {
  const answer = await account.call(`GET ${callbackPath}?${query}`)
  assert.equal(answer.statusCode, 200, answer.text)
  return answer.json().items.map(({ requestId }: { requestId: string }) => requestId)
}

onBothStores((kind, start) => {
  test(`${kind}: listing tasks`, async (t) => {
    const site = await startTestSite(t)
    const held = await startHoldingSite(t)
    const { url, createAccount } = await start(t, { environment: reachingLoopback })

    await t.test('an account without tasks has zero pages', async () => {
      const account = await createAccount()

      const answer = await account.call(`GET ${callbackPath}`)

      assert.equal(answer.statusCode, 200)
      assert.deepEqual(answer.json(), { items: [], page: 1, page_size: 100, page_count: 0 })
    })

    await t.test(
      'tasks are listed newest first, realtime ones too, each as its own path shows it',
      async () => {
        const account = await createAccount()
        const first = await submitTask(account, { url: held.url('/open'), metadata: { n: 1 } })
        const second =
          (await scrapeNow(account, { url: site.url('/') })).headers['x-request-id'] ?? ''
        const third = await submitTask(account, { url: held.url('/open') })
        await held.untilHeld('/open', 2)

        const { items, ...envelope } = (await account.call(`GET ${callbackPath}`)).json()

        assert.deepEqual(envelope, { page: 1, page_size: 100, page_count: 1 })
        const ids = [third, second, first]
        assert.deepEqual(items, await Promise.all(ids.map((id) => getStatus(account, id))))
      },
    )

    await t.test('a status filter lists only tasks of that status', async () => {
      const account = await createAccount()
      const retries = { useRetries: false }
      const completed = await submitTask(account, { url: site.url('/status/404') })
      const failed = await submitTask(account, {
        url: site.url('/reset'),
        configurations: { retries },
      })
      const cancelled = await submitTask(account, { url: held.url('/by-status') })
      const processing = await submitTask(account, { url: held.url('/by-status') })
      await account.call(`DELETE ${callbackPath}/${cancelled}`)
      await untilStatus(account, completed, 'completed')
      await untilStatus(account, failed, 'failed')

      assert.deepEqual(await idsOf(account, 'status=queued'), [])
      assert.deepEqual(await idsOf(account, 'status=processing'), [processing])
      assert.deepEqual(await idsOf(account, 'status=completed'), [completed])
      assert.deepEqual(await idsOf(account, 'status=failed'), [failed])
      assert.deepEqual(await idsOf(account, 'status=cancelled'), [cancelled])
    })

    await t.test('listing tasks without credentials gets 401', async () => {
      assertFailure(await callApi(url, `GET ${callbackPath}`), 'UNAUTHORIZED')
    })

    const account = await createAccount()
    for (const [query, fault] of badQueries) {
      await t.test(`listing tasks with ?${query} gets 422`, async () => {
        const answer = await account.call(`GET ${callbackPath}?${query}`)

        assert.deepEqual(faultsIn(answer), [fault])
      })
    }
  })

  test(`${kind}: pages of tasks`, async (t) => {
    const { createAccount } = await start(t, { environment: { TRAWL_ROLES: 'api' } })
    const account = await createAccount()
    const body = { url: 'http://target.test/', callbackUrl: 'http://hooks.test/' }
    const newestFirst: string[] = []
    for (let count = 0; count < 5; count++) newestFirst.unshift(await submitTask(account, body))

    await t.test('pages divide the tasks without gap or overlap', async () => {
      for (const size of [1, 2, 3, 5, 100]) {
        const pageCount = Math.ceil(5 / size)
        const seen: string[] = []
        for (let page = 1; page <= pageCount; page++) {
          const query = `page=${page}&page_size=${size}&status=queued`
          const answer = await account.call(`GET ${callbackPath}?${query}`)
          const { items, ...envelope } = answer.json()
          assert.deepEqual(envelope, { page, page_size: size, page_count: pageCount })
          seen.push(...items.map(({ requestId }: { requestId: string }) => requestId))
        }
        assert.deepEqual(seen, newestFirst)
      }
    })

    await t.test('pages of tasks past the end are empty, however far', async () => {
      for (const page of [2, 101, 999_999_999_999_999]) {
        const answer = await account.call(`GET ${callbackPath}?page=${page}`)
        assert.deepEqual(answer.json(), { items: [], page, page_size: 100, page_count: 1 })
      }
    })

    await t.test('a page holds 100 tasks, and the 101st is on the next', async () => {
      const many = await createAccount()
      for (let count = 0; count < 101; count++) await submitTask(many, body)

      const { items, page_count } = (await many.call(`GET ${callbackPath}`)).json()

      assert.equal(items.length, 100)
      assert.equal(page_count, 2)
      assert.equal((await idsOf(many, 'page=2')).length, 1)
    })
  })
})
