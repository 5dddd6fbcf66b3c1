import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from '../../src/storage/statement.ts'
import { callApi } from '../support/call-api.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'

const path = '/v1/webhooks'

const fields = ['created_at', 'description', 'event_type', 'id', 'is_active', 'updated_at', 'url']

async function createMany(account: TestAccount, count: number) {
  const newestFirst: Record<string, unknown>[] = []
  for (let index = 0; index < count; index++) {
    const url = `https://hooks.example/${index}`
    const created = await account.call(`POST ${path}`, { url, event_type: 'extract_completed' })
    const { secret, ...webhook } = created.json()
    newestFirst.unshift(webhook)
  }
  return newestFirst
}

const badQueries: [query: string, fault: string][] = [
  ['page=0', 'query.page greater_than_equal'],
  ['page=-1', 'query.page greater_than_equal'],
  ['page=x', 'query.page int_parsing'],
  ['page=', 'query.page int_parsing'],
  ['page=1.5', 'query.page int_parsing'],
  ['page=1e3', 'query.page int_parsing'],
  [`page=${'9'.repeat(400)}`, 'query.page int_parsing'],
  ['page=1&page=2', 'query.page string_type'],
  ['page_size=0', 'query.page_size greater_than_equal'],
  ['page_size=101', 'query.page_size less_than_equal'],
  ['page_size=null', 'query.page_size int_parsing'],
]

onBothStores((kind, start) => {
  test(`${kind}: listing webhooks`, async (t) => {
    const { url, createAccount, openBeside } = await start(t)

    await t.test('an account without webhooks has zero pages', async () => {
      const account = await createAccount()

      const answer = await account.call(`GET ${path}`)

      assert.equal(answer.statusCode, 200)
      assert.deepEqual(answer.json(), { items: [], page: 1, page_size: 100, page_count: 0 })
    })

    await t.test('webhooks are listed newest first with every field but the secret', async () => {
      const account = await createAccount()
      const newestFirst = await createMany(account, 3)

      const answer = await account.call(`GET ${path}`)
      const { items, ...envelope } = answer.json()

      assert.deepEqual(envelope, { page: 1, page_size: 100, page_count: 1 })
      assert.deepEqual(items, newestFirst)
      for (const item of items) assert.deepEqual(Object.keys(item).sort(), fields)
      assert.doesNotMatch(answer.text, /secret|whsec/)
    })

    await t.test('a page of webhooks past the end is empty, however far', async () => {
      const account = await createAccount()
      await createMany(account, 1)

      for (const page of [2, 101, 999_999_999_999_999]) {
        const answer = await account.call(`GET ${path}?page=${page}`)
        assert.equal(answer.statusCode, 200, answer.text)
        assert.deepEqual(answer.json(), { items: [], page, page_size: 100, page_count: 1 })
      }
    })

    await t.test('unknown query parameters are ignored when webhooks are listed', async () => {
      const account = await createAccount()

      assert.equal((await account.call(`GET ${path}?limit=x`)).statusCode, 200)
    })

    await t.test('any page size divides the webhooks without gap or overlap', async () => {
      const counts = [0, 1, 2, 5, 10]
      const accounts = await Promise.all(counts.map(() => createAccount()))
      const lists = await Promise.all(
        accounts.map(async (account, index) => ({
          account,
          newestFirst: await createMany(account, counts[index] ?? 0),
        })),
      )
      const cases = fc.record({
        list: fc.constantFrom(...lists),
        size: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 100 })),
        beyond: fc.integer({ min: 1, max: 1000 }),
      })

      await fc.assert(
        fc.asyncProperty(cases, async ({ list: { account, newestFirst }, size, beyond }) => {
          const pageCount = Math.ceil(newestFirst.length / size)
          const read = async (page: number) =>
            (await account.call(`GET ${path}?page=${page}&page_size=${size}`)).json()
          const pages = await Promise.all(Array.from({ length: pageCount }, (_, n) => read(n + 1)))

          assert.deepEqual(
            pages.flatMap(({ items }) => items),
            newestFirst,
          )
          for (const [index, { items, ...envelope }] of pages.entries()) {
            assert.deepEqual(envelope, {
              page: index + 1,
              page_size: size,
              page_count: pageCount,
            })
            if (index < pageCount - 1) assert.equal(items.length, size)
          }
          assert.deepEqual((await read(pageCount + beyond)).items, [])
        }),
        { numRuns: 30 },
      )
    })

    await t.test('invalid pages of webhooks get 422 that names every error', async () => {
      const account = await createAccount()

      for (const [query, fault] of badQueries) {
        assert.deepEqual(faultsIn(await account.call(`GET ${path}?${query}`)), [fault], query)
      }
      const both = await account.call(`GET ${path}?page_size=500&page=0`)
      assert.deepEqual(faultsIn(both), [
        'query.page greater_than_equal',
        'query.page_size less_than_equal',
      ])
      assert.deepEqual(both.json().detail[0], {
        loc: ['query', 'page'],
        msg: 'Input should be greater than or equal to 1',
        type: 'greater_than_equal',
      })
    })

    await t.test('listing webhooks without credentials gets 401', async () => {
      assertFailure(await callApi(url, `GET ${path}?page=0`), 'UNAUTHORIZED')
    })

    await t.test('an unexpected error in listing webhooks is a 500 without details', async () => {
      const account = await createAccount()
      await account.call(`GET ${path}`)
      const { db } = await openBeside()

      await db.run(sql`alter table webhooks rename to elsewhere`)
      const answer = await account.call(`GET ${path}`)
      await db.run(sql`alter table elsewhere rename to webhooks`)

      const { message } = assertFailure(answer, 'INTERNAL_ERROR')
      assert.doesNotMatch(String(message), /webhooks|table|relation|SQL/)
      assert.equal((await account.call(`GET ${path}`)).statusCode, 200)
    })
  })
})
