import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureCode } from '../failure.ts'
import { findBlock } from './find-block.ts'

type Case = [
  name: string,
  statusCode: number,
  headers: Record<string, string>,
  FailureCode | undefined,
]

const cases: Case[] = [
  ['a page', 200, {}, undefined],
  ['a 403 without a mark', 403, { server: 'cloudflare' }, undefined],
  ['a 503', 503, {}, undefined],
  ['a 429', 429, {}, 'RATE_LIMITED'],
  ['a 407', 407, {}, 'PROXY_FAILED'],
  ["a 403 with Cloudflare's mark", 403, { 'cf-mitigated': 'challenge' }, 'CHALLENGE'],
  ["a 429 with Cloudflare's mark", 429, { 'cf-mitigated': 'Challenge' }, 'CHALLENGE'],
  ["a 405 with AWS WAF's mark", 405, { 'x-amzn-waf-action': 'captcha' }, 'CHALLENGE'],
  ["a 202 with AWS WAF's mark", 202, { 'x-amzn-waf-action': 'challenge' }, 'CHALLENGE'],
  ['a header that only mentions a challenge', 200, { 'cf-mitigated': 'no challenge' }, undefined],
]

for (const [statusCode, code] of [
  [200, undefined],
  [404, undefined],
  [403, 'CHALLENGE'],
  [429, 'CHALLENGE'],
  [503, 'CHALLENGE'],
] as const) {
  test(`a ${statusCode} with a challenge form is ${code ?? 'no block'}`, () => {
    assert.equal(findBlock({ statusCode, headers: {} }, true)?.code, code)
  })
}

for (const [name, statusCode, headers, code] of cases) {
  test(`${name} is ${code ?? 'no block'}`, () => {
    assert.equal(findBlock({ statusCode, headers })?.code, code)
  })
}
