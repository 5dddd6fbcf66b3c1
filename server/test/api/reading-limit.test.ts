import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import type { ApiAnswer } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import {
  callbackPath,
  reachingLoopback,
  submitTask,
  untilDelivery,
} from '../support/scrape-calls.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { serviceEnvironment, startTestService } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'
import { createTestStore } from '../support/test-store.ts'
import { until } from '../support/until.ts'

const atOnceMax = 8
const waitingMax = 200
const tooManyCount = 5

const textOf = ({ text }: ApiAnswer): string => text
const jobHtmlOf = (answer: ApiAnswer): string => answer.json().data.html

/** Keeps everyone who would read a result waiting until they are let in. */
async function closeResults(t: TestContext, url: string): Promise<{ letIn(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url })
  // Where a test fails before that, the store goes with the lock.
  client.on('error', () => {})
  await client.connect()
  t.after(() => client.end())
  await client.query('begin; lock table results in access exclusive mode')
  return { letIn: () => client.end() }
}

// On PostgreSQL, where a lock holds readers for as long as it takes; the limit knows nothing of stores.
test('who would read a result while too many do is sent away, and nobody else', async (t) => {
  const site = await startTestSite(t)
  const receiver = await startTestReceiver(t)
  const { place } = await createTestStore(t, 'postgres')
  const environment = { ...serviceEnvironment(place), ...reachingLoopback }
  const { createAccount } = await startTestService(t, { environment })
  const account = await createAccount()
  const words = ['cod', 'eel', 'pike']
  const results = await Promise.all(
    words.map(async (word) => {
      const callbackUrl = `${receiver.url}/callback`
      const id = await submitTask(account, { url: site.url(`/page/${word}`), callbackUrl })
      // One that is still to be sent would read its result too.
      await untilDelivery(account, id, 'delivered')
      return { id, html: `<p>${word}</p>` }
    }),
  )
  const readers = Array.from({ length: atOnceMax + waitingMax + tooManyCount }, (_, index) => {
    const { id, html } = results[index % results.length] ?? { id: '', html: '' }
    const asResult = { request: `GET ${callbackPath}/${id}/result`, htmlOf: textOf, html }
    const asJob = { request: `GET /v1/extract/${id}`, htmlOf: jobHtmlOf, html }
    return index % 2 === 0 ? asResult : asJob
  })
  const { letIn } = await closeResults(t, place.url ?? '')

  let answeredCount = 0
  const asked = readers.map(async ({ request, ...expected }) => {
    const answer = await account.call(request)
    answeredCount += 1
    return { answer, ...expected }
  })
  await until(() => answeredCount === tooManyCount)
  await letIn()
  const answered = await Promise.all(asked)

  const sentAway = answered.filter(({ answer }) => answer.statusCode === 429)
  const served = answered.filter(({ answer }) => answer.statusCode === 200)
  assert.deepEqual([sentAway.length, served.length], [tooManyCount, atOnceMax + waitingMax])
  for (const { answer } of sentAway) {
    assertFailure(answer, 'RATE_LIMITED')
    assert.equal(answer.headers['retry-after'], '1')
  }
  for (const { answer, htmlOf, html } of served) assert.equal(htmlOf(answer), html)
  assert.equal((await account.call(readers[0]?.request ?? '')).statusCode, 200)
})
