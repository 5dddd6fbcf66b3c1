/** When a call is sent again, and what it sends then; against a server that plays the service. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import {
  respondJson,
  type ScriptedCall,
  startScriptedService,
} from '../../server/test/support/scripted-service.ts'
import { ConflictError, ConnectionError, RateLimitError, ServerError, Trawl } from '../src/index.ts'

type Play = (response: ServerResponse, call: ScriptedCall) => void

/** The answers come one after the other; the last one stays. */
async function startPlay(t: TestContext, ...answers: Play[]) {
  let count = 0
  const { url, calls } = await startScriptedService(t, (call, response) => {
    const answer = answers[Math.min(count, answers.length - 1)]
    count++
    answer?.(response, call)
  })
  return { calls, trawl: new Trawl({ baseUrl: url, apiKey: 'a key of a test' }) }
}

const refuse =
  (status: number, code: string, retryAfter?: string): Play =>
  (response) => {
    const body = { code, message: 'No.', correlation_id: 'c', retryable: true }
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter)
    respondJson(response, status, body)
  }
const accept: Play = (response) => respondJson(response, 202, { job_id: 'j' })
const drop: Play = (response) => void response.socket?.destroy()

test('a retry of a start has the same idempotency key, and another start another', async (t) => {
  const { trawl, calls } = await startPlay(t, drop, refuse(503, 'SHUTTING_DOWN', '0'), accept)

  await trawl.startCrawl({ url: 'https://example.com' })
  await trawl.startCrawl({ url: 'https://example.com' })

  const keys = calls.map(({ headers }) => headers['idempotency-key'])
  assert.equal(calls.length, 4)
  assert.equal(new Set(keys.slice(0, 3)).size, 1)
  assert.equal(new Set(keys).size, 2)
})

test('a key of the caller is sent as it is', async (t) => {
  const { trawl, calls } = await startPlay(t, accept)

  await trawl.startBatch({ urls: ['https://example.com'] }, { idempotencyKey: 'order 66' })

  assert.equal(calls[0]?.headers['idempotency-key'], 'order 66')
})

test('a start whose first try is still being answered waits for that answer', async (t) => {
  const { trawl, calls } = await startPlay(t, drop, refuse(409, 'CONFLICT'), accept)

  assert.deepEqual(await trawl.startScrape({ url: 'https://example.com' }), { job_id: 'j' })
  assert.equal(calls.length, 3)
})

test('what is not safe to repeat is sent once', async (t) => {
  const { trawl, calls } = await startPlay(t, drop, refuse(500, 'INTERNAL_ERROR'))

  // Nobody knows whether it was done, and it has no idempotency key.
  await assert.rejects(trawl.webhooks.test('id'), ConnectionError)

  await assert.rejects(trawl.scrape({ url: 'https://example.com' }), ServerError)
  await assert.rejects(trawl.webhooks.rotateSecret('id'), ServerError)
  await assert.rejects(trawl.webhooks.update('id', { is_active: false }), ServerError)

  assert.equal(calls.length, 4)
})

test('a refusal of the caller is not tried again', async (t) => {
  const { trawl, calls } = await startPlay(t, refuse(409, 'CONFLICT'))

  await assert.rejects(trawl.cancelBatch('id'), ConflictError)

  assert.equal(calls.length, 1)
})

test('maxRetries is the number of retries, of the client or of a call', async (t) => {
  const { trawl, calls } = await startPlay(t, refuse(429, 'RATE_LIMITED', '0'))

  await assert.rejects(trawl.getConcurrency(), RateLimitError)
  assert.equal(calls.length, 3)
  await assert.rejects(trawl.getConcurrency({ maxRetries: 5 }), RateLimitError)
  assert.equal(calls.length, 9)
})

test('a Retry-After beyond the time of the call, or a minute, is thrown at once', async (t) => {
  const { trawl, calls } = await startPlay(
    t,
    refuse(429, 'RATE_LIMITED', '30'),
    refuse(429, 'RATE_LIMITED', '61'),
    refuse(429, 'RATE_LIMITED', 'Wed, 21 Oct 2115 07:28:00 GMT'),
  )

  for (const timeout of [20_000, 100_000, 100_000]) {
    const error = await trawl.getConcurrency({ timeout }).catch((caught) => caught)
    assert.ok(error instanceof RateLimitError)
    assert.ok((error.retryAfter ?? 0) >= 30)
  }
  assert.equal(calls.length, 3)
})

test('an id cannot lead to another path', async (t) => {
  const { trawl, calls } = await startPlay(t, accept)

  for (const id of ['..', '.', '']) {
    await assert.rejects(async () => trawl.webhooks.delete(id), TypeError)
  }
  await trawl.getBatch('../webhooks?x=1')

  assert.deepEqual(
    calls.map(({ path }) => path),
    ['/v1/batch/..%2Fwebhooks%3Fx%3D1'],
  )
})

test('a redirect is not followed, as it would be given the key', async (t) => {
  const elsewhere = await startScriptedService(t, (_call, response) => void response.end('{}'))
  const { trawl } = await startPlay(t, (response) =>
    response.writeHead(307, { location: elsewhere.url }).end(),
  )

  await assert.rejects(trawl.getConcurrency({ maxRetries: 0 }), ConnectionError)

  assert.equal(elsewhere.calls.length, 0)
})

test('a list is its first page when awaited, and all items when iterated', async (t) => {
  const { trawl, calls } = await startPlay(t, (response, { path }) => {
    const page = Number(new URL(path, 'http://trawl').searchParams.get('page') ?? 1)
    const jobs = page > 3 ? [] : [{ job_id: `${page}a` }, { job_id: `${page}b` }]
    respondJson(response, 200, { jobs, page, page_size: 2, page_count: 2, is_capped: true })
  })

  const list = trawl.listScrapes({ status: 'completed' })
  assert.equal(calls.length, 0, 'nothing is sent before it is used')
  assert.equal((await list).page, 1)
  const ids: string[] = []
  for await (const { job_id } of list) ids.push(job_id)

  assert.deepEqual(ids, ['1a', '1b', '2a', '2b', '3a', '3b'], 'also beyond what was counted')
  assert.deepEqual(
    calls.map(({ path }) => path.split('?')[1]),
    ['status=completed', ...[2, 3, 4].map((page) => `status=completed&page=${page}`)],
  )
})

test('an answer that is not JSON says so', async (t) => {
  const { trawl } = await startPlay(t, (response) => void response.end('<html>'))

  await assert.rejects(trawl.getConcurrency(), { name: 'TrawlError', code: 'UNEXPECTED_RESPONSE' })
})
