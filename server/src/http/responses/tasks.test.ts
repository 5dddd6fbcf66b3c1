import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Screenshot } from '../../domain/scrape/page.ts'
import { ScrapeOptions } from '../../domain/scrape/scrape-options.ts'
import type { FinishedTask } from '../../tasks/results/finished-task.ts'
import { toRealtimeResponse } from './tasks.ts'

const image: Screenshot = { type: 'png', width: 3, height: 2, bytes: Buffer.from('an image') }

/** A finished task as the worker passes it to the waiting caller. */
const finished = (configurations: Record<string, unknown>): FinishedTask => ({
  task: {
    id: '01a1def5-68ae-7e29-9849-4f82ca93e413',
    accountId: 'account',
    callbackUrl: null,
    callsBackOnFailure: false,
    request: {
      url: 'http://target.test/',
      options: ScrapeOptions.parse(configurations),
      timeoutMs: 1_000,
      forwardedHeaders: {},
      purpose: { kind: 'realtime' },
    },
    metadata: null,
    createdAtMs: 0,
    state: 'completed',
    attempts: 2,
    attemptLog: [],
    error: null,
    startedAtMs: 0,
    completedAtMs: 0,
  },
  result: {
    page: {
      statusCode: 404,
      url: 'http://target.test/end',
      headers: {},
      cookies: [],
      bandwidth: { received: 3, sent: 2, requests: 1 },
      requests: [],
      engine: 'browser',
      screenshot: { type: 'png', width: 3, height: 2 },
    },
    content: {
      kind: 'html',
      bytes: Buffer.from('"<p>"'),
      charset: 'utf-8',
      hasReplacements: false,
      decodedBytes: 3,
    },
    image,
  },
})

const resultHeaders = {
  'x-request-id': '01a1def5-68ae-7e29-9849-4f82ca93e413',
  'x-target-status': '404',
  'x-target-url': 'http://target.test/end',
  'x-engine': 'browser',
  'x-attempts': '2',
}

test('a realtime scrape with a screenshot responds with the image itself', () => {
  const { body, headers } = toRealtimeResponse(finished({ screenshot: { use: true } }))

  assert.deepEqual(body, image.bytes)
  assert.deepEqual(headers, { 'content-type': 'image/png', ...resultHeaders })
})

test('a screenshot with encoding base64 is a text response', () => {
  const screenshot = { use: true, options: { encoding: 'base64' } }

  const { body, headers } = toRealtimeResponse(finished({ screenshot }))

  assert.equal(String(body), Buffer.from(image.bytes).toString('base64'))
  assert.deepEqual(headers, { 'content-type': 'text/plain; charset=utf-8', ...resultHeaders })
})

test('a screenshot with response_format json is in the result object', () => {
  const screenshot = { use: true, options: { encoding: 'base64' } }

  const { body, headers } = toRealtimeResponse(finished({ screenshot, response_format: 'json' }))

  const { html, screenshot: shown } = JSON.parse(String(body))
  const data = Buffer.from(image.bytes).toString('base64')
  assert.deepEqual(
    { html, shown },
    { html: '<p>', shown: { type: 'png', width: 3, height: 2, data } },
  )
  assert.deepEqual(headers, { 'content-type': 'application/json; charset=utf-8', ...resultHeaders })
})
