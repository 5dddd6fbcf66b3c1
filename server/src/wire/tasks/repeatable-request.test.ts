import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ExtractRequest } from '../../domain/scrape/extract-request.ts'
import { planExtraction } from '../../domain/scrape/plan-extraction.ts'
import { CallbackScrape } from '../../domain/scrape/scrape-request.ts'
import { toRepeatableRequest } from './repeatable-request.ts'

const url = 'https://example.com/article'

function repeatedExtraction(given: object) {
  const body = ExtractRequest.parse(given)
  const request = planExtraction(body.url, body, body.processing_mode)
  return toRepeatableRequest({
    request,
    callbackUrl: null,
    callsBackOnFailure: false,
    metadata: null,
  })
}

for (const given of [
  { formats: ['markdown'] },
  { formats: ['html', 'screenshot'], render_js: true },
  { formats: ['html'], render_js: 'auto', wait_config: { wait_until: 'load', wait_timeout: 5 } },
  { formats: ['html'], proxy: { country: 'DE', type: 'datacenter' }, timeout: 5_000 },
  { formats: ['text'], only_main_content: true, extract_links: true, session: 'a' },
  { formats: ['html'], extract_rules: { title: 'h1' }, method: 'DELETE' },
  { formats: ['html'], configurations: { debug: true, mode: 'load' } },
  { formats: ['html'], configurations: { debug: true, viewport: { width: 400, height: 800 } } },
  { formats: ['html'], configurations: { retries: { maxRetries: 5 } } },
]) {
  test(`an extraction is repeated by the body that asked for it: ${JSON.stringify(given)}`, () => {
    const repeated = repeatedExtraction({ url, ...given })

    assert.deepEqual(repeated, { path: '/v1/extract', body: { url, ...given }, left_out: [] })
  })
}

test('a repeated extraction has no headers, cookies, storage, scenario or body, and says so', () => {
  const repeated = repeatedExtraction({
    url: 'https://user:hidden@example.com/',
    method: 'POST',
    headers: { 'X-Name': 'hidden' },
    body: 'hidden',
    configurations: { cookies: [{ name: 'a', value: 'hidden' }] },
  })
  const inBrowser = repeatedExtraction({
    url,
    configurations: {
      localStorage: { a: 'hidden' },
      js_scenario: { actions: [{ action: 'type', selector: 'input', value: 'hidden' }] },
    },
  })

  assert.doesNotMatch(JSON.stringify([repeated, inBrowser]), /hidden/)
  assert.deepEqual(repeated?.left_out, [
    'user and password of url',
    'headers',
    'body',
    'configurations.cookies',
  ])
  assert.deepEqual(inBrowser?.left_out, [
    'configurations.localStorage',
    'configurations.js_scenario',
  ])
})

test('a scrape is repeated by the body that asked for it', () => {
  const given = {
    url,
    callbackUrl: 'https://example.org/hook',
    callback_on_failure: false,
    metadata: { order: 17 },
    timeout_ms: 5_000,
    configurations: { js_render: true, response_format: 'json', debug: true },
  }
  const body = CallbackScrape.parse(given)

  const repeated = toRepeatableRequest({
    request: {
      url: body.url,
      options: body.configurations,
      timeoutMs: body.timeout_ms,
      forwardedHeaders: { 'accept-language': 'de' },
      purpose: { kind: 'callback' },
    },
    callbackUrl: body.callbackUrl,
    callsBackOnFailure: body.callback_on_failure,
    metadata: body.metadata ?? null,
  })

  assert.deepEqual(repeated, {
    path: '/api/scraper/scrape/callback',
    body: given,
    left_out: ['forwarded headers'],
  })
})

test('the user and password of a callback URL are left out, which is said', () => {
  const body = CallbackScrape.parse({ url, callbackUrl: 'https://user:hidden@example.org/hook' })

  const repeated = toRepeatableRequest({
    request: {
      url,
      options: body.configurations,
      timeoutMs: body.timeout_ms,
      forwardedHeaders: {},
      purpose: { kind: 'callback' },
    },
    callbackUrl: body.callbackUrl,
    callsBackOnFailure: true,
    metadata: null,
  })

  assert.deepEqual(repeated, {
    path: '/api/scraper/scrape/callback',
    body: { url, callbackUrl: 'https://example.org/hook' },
    left_out: ['user and password of callbackUrl'],
  })
})

test('a map is repeated by its own path', () => {
  const map = { url, search: 'a', includesSubdomains: true, ignoresQueries: false }
  const options = ExtractRequest.parse({ url })
  const request = planExtraction(url, options, 'sync')

  const repeated = toRepeatableRequest({
    request: { ...request, purpose: { kind: 'map', map } },
    callbackUrl: null,
    callsBackOnFailure: false,
    metadata: null,
  })

  assert.deepEqual(repeated, {
    path: '/v1/map',
    body: { url, search: 'a', include_subdomains: true, ignore_query_parameters: false },
    left_out: [],
  })
})
