import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ExtractRequest } from '../scrape/extract-request.ts'
import { planExtraction } from '../scrape/plan-extraction.ts'
import { cacheSubject } from './cache-subject.ts'

function subjectOf(given: object, accountId = 'account'): string | undefined {
  const body = ExtractRequest.parse({ url: 'https://example.com/', ...given })
  return cacheSubject({ accountId, request: planExtraction(body.url, body, body.processing_mode) })
}

const plain = subjectOf({})

test('requests that ask for the same have the same subject, however they are written', () => {
  const alike = [
    { url: 'HTTPS://EXAMPLE.com:443/./' },
    { max_age: 60_000 },
    { timeout: 5000 },
    { processing_mode: 'async' },
    { render_js: false, formats: ['html', 'html'], headers: null },
    { unknown: true },
  ]

  for (const given of alike) assert.equal(subjectOf(given), plain, JSON.stringify(given))
  assert.equal(
    subjectOf({ headers: { A: '1', B: '2' }, formats: ['text', 'html'] }),
    subjectOf({ headers: { b: '2', a: '1' }, formats: ['html', 'text'] }),
  )
})

test('requests that differ in anything that matters have other subjects', () => {
  const others = [
    { url: 'https://example.com/?a' },
    { url: 'https://example.com/#a' },
    { formats: ['text'] },
    { render_js: true },
    { render_js: 'auto' },
    { headers: { a: '1' } },
    { headers: { cookie: 'a=1' } },
    { proxy: { country: 'DE' } },
    { proxy: { type: 'datacenter' } },
    { only_main_content: true },
    { extract_links: true },
    { extract_rules: { title: 'h1' } },
    { configurations: { device_type: 'mobile' } },
  ]
  const subjects = others.map((given) => subjectOf(given))

  assert.equal(new Set([plain, ...subjects]).size, others.length + 1)
  assert.notEqual(subjectOf({}, 'another account'), plain)
})

test('a request that a stored task holds has the subject that it had when it was accepted', () => {
  const body = ExtractRequest.parse({ url: 'https://example.com/', extract_rules: { a: 'b@c' } })
  const request = planExtraction(body.url, body, 'sync')
  const stored = JSON.parse(JSON.stringify({ ...request, isProxied: true }))

  assert.equal(
    cacheSubject({ accountId: 'account', request: stored }),
    cacheSubject({ accountId: 'account', request }),
  )
})

test('only a GET request has a subject', () => {
  assert.equal(subjectOf({ method: 'POST', body: 'a' }), undefined)
  assert.equal(subjectOf({ method: 'DELETE' }), undefined)
})

test('a request with a session has no subject', () => {
  assert.equal(subjectOf({ session: 'cart' }), undefined)
})
