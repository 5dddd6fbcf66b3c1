import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import type { ApiResponse } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import {
  callbackPath,
  reachingLoopback,
  submitTask,
  untilDelivery,
} from '../support/scrape-calls.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { serviceEnvironment, startTestService, type TestAccount } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'
import { createTestStore } from '../support/test-store.ts'
import { until } from '../support/until.ts'

const atOnceMax = 8
const waitingMax = 200
const tooManyCount = 5

const textOf = ({ text }: ApiResponse): string => text
const jobHtmlOf = (answer: ApiResponse): string => answer.json().data.html

/** Locks the results so that every reader waits until the lock is released. */
async function lockResults(t: TestContext, url: string) {
  const client = new pg.Client({ connectionString: url })
  // If the test fails before the release, the store is dropped and the lock with it.
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end())
  await client.query('begin; lock table results in access exclusive mode')
  return { unlock: () => client.end() }
}

// PostgreSQL only: its lock can block readers; the limits themselves are the same on both stores.
async function startScene(t: TestContext) {
  const site = await startTestSite(t)
  const receiver = await startTestReceiver(t)
  const { place } = await createTestStore(t, 'postgres')
  const environment = { ...serviceEnvironment(place), ...reachingLoopback }
  const { createAccount } = await startTestService(t, { environment })
  return {
    createAccount,
    lockResults: () => lockResults(t, place.url ?? ''),
    /** A result that nobody reads yet, and the two ways to read it. */
    async addResult(account: TestAccount, word: string) {
      const callbackUrl = `${receiver.url}/callback`
      const id = await submitTask(account, { url: site.url(`/page/${word}`), callbackUrl })
      // A pending callback would read its result too.
      await untilDelivery(account, id, 'delivered')
      const html = `<p>${word}</p>`
      return [
        { request: `GET ${callbackPath}/${id}/result`, htmlOf: textOf, html },
        { request: `GET /v1/extract/${id}`, htmlOf: jobHtmlOf, html },
      ]
    },
  }
}

test('an account that reads too many results at once gets 429, all that waited and other accounts are served', async (t) => {
  const { createAccount, addResult, lockResults } = await startScene(t)
  const account = await createAccount()
  const results = await Promise.all(['cod', 'eel', 'pike'].map((word) => addResult(account, word)))
  const reads = results.flat()
  const readers = Array.from(
    { length: atOnceMax + waitingMax + tooManyCount },
    (_, index) => reads[index % reads.length] ?? assert.fail(),
  )
  const other = await createAccount()
  const [otherRead] = await addResult(other, 'ray')
  const { unlock } = await lockResults()

  let answeredCount = 0
  const asked = readers.map(async ({ request, ...expected }) => {
    const answer = await account.call(request)
    answeredCount += 1
    return { answer, ...expected }
  })
  await until(() => answeredCount === tooManyCount)
  const otherAnswered = other.call(otherRead?.request ?? '')
  await unlock()
  const answered = await Promise.all(asked)

  const sentAway = answered.filter(({ answer }) => answer.statusCode === 429)
  const served = answered.filter(({ answer }) => answer.statusCode === 200)
  assert.deepEqual([sentAway.length, served.length], [tooManyCount, atOnceMax + waitingMax])
  for (const { answer } of sentAway) {
    assertFailure(answer, 'RATE_LIMITED')
    assert.equal(answer.headers['retry-after'], '1')
  }
  for (const { answer, htmlOf, html } of served) assert.equal(htmlOf(answer), html)
  assert.equal(textOf(await otherAnswered), otherRead?.html)
  assert.equal((await account.call(readers[0]?.request ?? '')).statusCode, 200)
})
