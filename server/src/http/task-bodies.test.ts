import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Screenshot } from '../domain/scrape/page.ts'
import { ScrapeOptions } from '../domain/scrape/scrape-options.ts'
import type { FinishedTask } from '../tasks/finished-task.ts'
import { toRealtimeAnswer } from './task-bodies.ts'

const image: Screenshot = { type: 'png', width: 3, height: 2, bytes: Buffer.from('an image') }

/** As a worker hands it to whoever waits. */
const finished = (configurations: Record<string, unknown>): FinishedTask => ({
  task: {
    id: '01a1def5-68ae-7e29-9849-4f82ca93e413',
    accountId: 'account',
    kind: 'realtime',
    callbackUrl: null,
    callsBackOnFailure: false,
    request: {
      url: 'http://target.test/',
      options: ScrapeOptions.parse(configurations),
      timeoutMs: 1_000,
      forwardedHeaders: {},
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

const told = {
  'x-request-id': '01a1def5-68ae-7e29-9849-4f82ca93e413',
  'x-target-status': '404',
  'x-target-url': 'http://target.test/end',
  'x-engine': 'browser',
  'x-attempts': '2',
}

test('a caller who asked for a screenshot gets the image itself', () => {
  const { body, headers } = toRealtimeAnswer(finished({ screenshot: { use: true } }))

  assert.deepEqual(body, image.bytes)
  assert.deepEqual(headers, { 'content-type': 'image/png', ...told })
})

test('as base64 it is a text', () => {
  const screenshot = { use: true, options: { encoding: 'base64' } }

  const { body, headers } = toRealtimeAnswer(finished({ screenshot }))

  assert.equal(String(body), Buffer.from(image.bytes).toString('base64'))
  assert.deepEqual(headers, { 'content-type': 'text/plain; charset=utf-8', ...told })
})

test('as json it stands in the result object', () => {
  const screenshot = { use: true, options: { encoding: 'base64' } }

  const { body, headers } = toRealtimeAnswer(finished({ screenshot, response_format: 'json' }))

  const { html, screenshot: shown } = JSON.parse(String(body))
  const data = Buffer.from(image.bytes).toString('base64')
  assert.deepEqual(
    { html, shown },
    { html: '<p>', shown: { type: 'png', width: 3, height: 2, data } },
  )
  assert.deepEqual(headers, { 'content-type': 'application/json; charset=utf-8', ...told })
})
