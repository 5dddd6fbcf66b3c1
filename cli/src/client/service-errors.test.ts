import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Trawl } from '@trawl/sdk'
import { startScriptedService } from '../../../server/test/support/scripted-service.ts'
import { connectTo } from './service-client.ts'
import { type CallExplanation, explainServiceError, NotTheService } from './service-errors.ts'

const server = 'http://127.0.0.1:8080'
const page = '<!doctype html><title>Welcome</title>'

/** What becomes of a call that is answered with this. */
async function refusal(given: {
  status?: number
  text?: string
  keyOrigin?: string
}): Promise<CallExplanation> {
  const { status = 400, text = page, keyOrigin } = given
  const trawl = new Trawl({
    baseUrl: server,
    apiKey: null,
    maxRetries: 0,
    fetch: async () => new Response(text, { status }),
  })
  const error = await trawl.request({ method: 'GET', path: '/v1/tasks' }).catch((one) => one)
  return explainServiceError(error, { server, apiKey: undefined, keyOrigin })
}

const error = (code: string) => JSON.stringify({ code, message: 'Words.' })

test('a refused key is named by where it is from, a missing one by where it may come from', async () => {
  const unauthorized = { status: 401, text: error('UNAUTHORIZED') }

  for (const keyOrigin of ['TRAWL_API_KEY', '--api-key', 'the profile']) {
    const { message } = await refusal({ ...unauthorized, keyOrigin })
    assert.ok(message.includes(`The key of ${keyOrigin} does not open ${server}`), message)
  }
  assert.match(
    (await refusal(unauthorized)).message,
    /^UNAUTHORIZED: Words\. Give --api-key or TRAWL_API_KEY/,
  )
})

test('each fault of a request is listed once, with its reason', async () => {
  const detail = [{ loc: ['body', 'url'], msg: 'Field required', type: 'missing' }]
  const text = JSON.stringify({ code: 'VALIDATION_ERROR', message: 'body.url: …', detail })

  const refused = await refusal({ status: 422, text })

  assert.deepEqual(refused, {
    message: 'VALIDATION_ERROR: The request is not valid.\n  url: Field required',
    exitCode: 2,
    code: 'VALIDATION_ERROR',
  })
})

test('the reason of a failed extraction is its code', async () => {
  const failed = { code: 'TIMEOUT', message: 'Late.', details: { reason: 'TARGET_TIMEOUT' } }

  const refused = await refusal({ status: 422, text: JSON.stringify({ error: failed }) })

  assert.deepEqual([refused.code, refused.message], ['TARGET_TIMEOUT', 'TARGET_TIMEOUT: Late.'])
})

test('a code that this version does not know keeps its message', async () => {
  const { message } = await refusal({ status: 503, text: error('FROM_THE_FUTURE') })

  assert.equal(message, 'FROM_THE_FUTURE: Words.')
})

for (const status of [400, 404, 405]) {
  test(`a page with status ${status} is not from a service, and none of it is printed`, async () => {
    const strange = await refusal({ status })

    assert.deepEqual([strange.code, strange.exitCode], [undefined, 6])
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
  test(`a page with status ${status} may be from a proxy before the service: ${code}`, async () => {
    const refused = await refusal({ status })

    assert.equal(refused.code, code)
    assert.match(refused.message, /^\d+: http:\S+ responded \d+, but not as Trawl does/)
    assert.doesNotMatch(refused.message, /<|Welcome/)
  })
}

test('a redirect names the address that it leads to', async (t) => {
  const { url } = await startScriptedService(t, (_call, response) =>
    response.writeHead(308, { location: 'https://trawl.example/\u0085x' }).end(),
  )
  const trawl = connectTo({ server: url, apiKey: 'a key', keyOrigin: '--api-key' })

  const strange = await trawl.getConcurrency().catch((one) => one)

  assert.ok(strange instanceof NotTheService)
  assert.match(
    strange.message,
    /^http:\S+ redirects to https:\/\/trawl\.example\/\\u\{85\}x, .*--server/,
  )
})
