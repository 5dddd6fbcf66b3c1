import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../../src/http/routes.ts'
import { WatchedDatabase } from '../../src/storage/outages/watched-database.ts'
import { Statement, sql } from '../../src/storage/statement.ts'
import { startTestService } from '../support/test-service.ts'

const lists = routes.filter(({ takesTurns }) => takesTurns)
const queries = ['', '?page_size=1', '?page_size=1&status=completed', '?url=a', '?host=a.example']

/** The values of a statement, those of nested ones included. */
const valuesOf = ({ slots }: Statement<unknown>): unknown[] =>
  slots.flatMap((slot) => (slot instanceof Statement ? valuesOf(slot) : [slot]))

/** What is written meanwhile is not the list's: activity is counted in the background. */
const isRead = ({ strings }: Statement<unknown>): boolean => /^\s*select\b/.test(strings[0] ?? '')

const findAccountId = (username: string): Statement<string> =>
  sql<{ id: string }>`select id from accounts where username = ${username}`.map(({ id }) => id)

test('every list is read where nothing but other lists waits for it', async (t) => {
  const service = await startTestService(t, { environment: { TRAWL_ROLES: 'api' } })
  const account = await service.createAccount()
  const { db } = await service.openBeside()
  const [accountId] = await db.run(findAccountId(account.username))
  const webhook = await account.call('POST /v1/webhooks', {
    url: 'https://receiver.example/',
    event_type: 'extract_completed',
  })
  for (const url of ['https://a.example/', 'https://b.example/']) {
    await account.call('POST /api/scraper/scrape/callback', { url, callbackUrl: url })
    await account.call('POST /v1/batch', { urls: [url] })
  }
  const run = t.mock.method(WatchedDatabase.prototype, 'run')
  const transaction = t.mock.method(WatchedDatabase.prototype, 'transaction')

  for (const { method, path } of lists) {
    for (const query of queries) {
      for (const { mock } of [run, transaction]) mock.resetCalls()
      const request = `${method} ${path.replace(/:\w+/, webhook.json().id)}${query}`
      const { statusCode, text } = await account.call(request)

      assert.ok(statusCode === 200 || statusCode === 422, `${request}: ${text}`)
      const statements = [
        ...run.mock.calls.map((call) => call.arguments[0]),
        ...transaction.mock.calls.flatMap((call) => call.arguments[0]),
      ].filter((statement) => isRead(statement) && valuesOf(statement).includes(accountId))
      const others = statements.filter(({ isQuick, isSlow }) => !isQuick && !isSlow)
      assert.deepEqual(
        others.map(({ strings }) => strings.join('?')),
        [],
        request,
      )
      assert.ok(query !== '' || statements.some(({ isSlow }) => isSlow), request)
    }
  }
})
