import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultScrapeOptions } from '../scrape/scrape-options.ts'
import { extractOrderOf, plainOrder, type ScrapeRequest } from '../scrape/scrape-request.ts'
import { planRetry } from './plan-retry.ts'
import type { Task } from './task.ts'

const scrape: ScrapeRequest = {
  url: 'https://example.com/',
  options: defaultScrapeOptions,
  timeoutMs: 60_000,
  forwardedHeaders: { 'accept-language': 'de' },
  isProxied: true,
  purpose: { kind: 'callback' },
}

const order = { ...plainOrder, formats: ['markdown' as const], isMainContentOnly: true }

const task = (changes: Partial<Task>): Task => ({
  id: 'first',
  accountId: 'account',
  callbackUrl: 'https://hooks.example/',
  callsBackOnFailure: true,
  request: scrape,
  metadata: { order: 17 },
  createdAtMs: 0,
  ...changes,
})

test('the retry of a callback task has the same request and callback', () => {
  const retry = planRetry(task({}), { callsBack: true })

  const { isProxied, ...request } = scrape
  assert.deepEqual(retry, {
    callbackUrl: 'https://hooks.example/',
    callsBackOnFailure: true,
    metadata: { order: 17 },
    request: { ...request, retryOf: 'first' },
  })
})

test('a scrape without a callback becomes an extraction of its HTML, within all its attempts', () => {
  const replayed = planRetry(task({}), { callsBack: false })
  const realtime = planRetry(
    task({ callbackUrl: null, request: { ...scrape, purpose: { kind: 'realtime' } } }),
    { callsBack: true },
  )

  for (const { callbackUrl, callsBackOnFailure, request } of [replayed, realtime]) {
    assert.equal(callbackUrl, null)
    assert.equal(callsBackOnFailure, false)
    const order = extractOrderOf(request)
    assert.deepEqual(order?.formats, ['html'])
    assert.equal(order?.processingMode, 'async')
    const { maxRetries } = defaultScrapeOptions.retries
    assert.equal(request.timeoutMs, Math.min(60_000 * (maxRetries + 1), 300_000))
  }
})

test('a page of a crawl becomes a single extraction that is fetched, not cached', () => {
  const purpose = {
    kind: 'crawl' as const,
    crawl: { depth: 2, parentUrl: 'https://example.com/' },
    extract: { ...order, cachedFrom: 'other' },
  }
  const page = task({ callbackUrl: null, request: { ...scrape, purpose } })

  const retry = planRetry(page, { callsBack: true })

  const extract = { ...order, processingMode: 'async' }
  assert.deepEqual(retry.request.purpose, { kind: 'extract', extract })
})
