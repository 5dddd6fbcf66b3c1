import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RefusingResponse, RequestRefused, toRefusal } from './request-refused.ts'
import { NotTheService } from './service-unreachable.ts'

const origin = 'http://127.0.0.1:8080'
const page = '<!doctype html><title>Welcome</title>'

const refusal = (given: Partial<RefusingResponse>) =>
  toRefusal({
    status: 400,
    headers: new Headers(),
    text: page,
    origin,
    keyOrigin: undefined,
    ...given,
  })

const error = (code: string) => JSON.stringify({ code, message: 'Words.' })

test('a refused key is named by where it is from, a missing one by where it may come from', () => {
  const unauthorized = { status: 401, text: error('UNAUTHORIZED') }

  for (const keyOrigin of ['TRAWL_API_KEY', '--api-key', 'the profile']) {
    const { message } = refusal({ ...unauthorized, keyOrigin })
    assert.ok(message.includes(`The key of ${keyOrigin} does not open ${origin}`), message)
  }
  assert.match(
    refusal(unauthorized).message,
    /^UNAUTHORIZED: Words\. Give --api-key or TRAWL_API_KEY/,
  )
})

test('each fault of a request is listed once, with its reason', () => {
  const detail = [{ loc: ['body', 'url'], msg: 'Field required', type: 'missing' }]
  const text = JSON.stringify({ code: 'VALIDATION_ERROR', message: 'body.url: …', detail })

  const refused = refusal({ status: 422, text })

  assert.ok(refused instanceof RequestRefused)
  assert.equal(
    refused.message,
    'VALIDATION_ERROR: The request is not valid.\n  url: Field required',
  )
  assert.deepEqual(refused.faultyFields, ['url'])
})

test('the reason of a failed extraction is its code', () => {
  const failed = { code: 'TIMEOUT', message: 'Late.', details: { reason: 'TARGET_TIMEOUT' } }

  const refused = refusal({ status: 422, text: JSON.stringify({ error: failed }) })

  assert.ok(refused instanceof RequestRefused)
  assert.deepEqual([refused.code, refused.message], ['TARGET_TIMEOUT', 'TARGET_TIMEOUT: Late.'])
})

test('a code that this version does not know keeps its message', () => {
  assert.match(refusal({ status: 503, text: error('FROM_THE_FUTURE') }).message, /^503: Words\.$/)
})

for (const status of [301, 400, 404, 405]) {
  test(`a page with status ${status} is not from a service, and none of it is printed`, () => {
    const strange = refusal({ status })

    assert.ok(strange instanceof NotTheService)
    assert.match(strange.message, /^http:\S+ responded \d+, but not as Trawl does: .*--server/)
    assert.doesNotMatch(strange.message, /<|Welcome/)
  })
}

for (const [status, code] of [
  [401, 'UNAUTHORIZED'],
  [403, 'FORBIDDEN'],
  [429, 'RATE_LIMITED'],
  [502, 'INTERNAL_ERROR'],
  [504, 'TARGET_TIMEOUT'],
] as const) {
  test(`a page with status ${status} may be from a proxy before the service: ${code}`, () => {
    const refused = refusal({ status })

    assert.ok(refused instanceof RequestRefused)
    assert.equal(refused.code, code)
    assert.match(refused.message, /^\d+: http:\S+ responded \d+, but not as Trawl does/)
    assert.doesNotMatch(refused.message, /<|Welcome/)
  })
}

test('a redirect names the address that it leads to', () => {
  const headers = new Headers({ location: 'https://trawl.example/\u0085x' })

  const { message } = refusal({ status: 308, headers })

  assert.match(message, /^http:\S+ redirects to https:\/\/trawl\.example\/\\u\{85\}x, .*--server/)
})
