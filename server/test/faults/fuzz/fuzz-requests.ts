/** Generates requests from nearly valid to nonsense, and checks every response to them. */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { z } from 'zod'
import { type FailureCode, failures } from '../../../src/domain/failure.ts'
import { defaultScrapeOptions } from '../../../src/domain/scrape/scrape-options.ts'
import { ExtractionProblem } from '../../../src/http/errors/extraction-problem.ts'
import { ErrorObject, ErrorTextObject, ValidationObject } from '../../../src/http/errors/problem.ts'
import { pathsOf } from '../../../src/http/route.ts'
import { routes } from '../../../src/http/routes.ts'
import { sendRaw } from '../../support/raw-http.ts'

export const fuzzEnvironment = {
  TRAWL_API_KEY: 'the-key-of-the-fuzz-test',
  TRAWL_PASSWORD: 'the-password-of-the-fuzz-test',
}
const { TRAWL_API_KEY: apiKey, TRAWL_PASSWORD: password } = fuzzEnvironment

const documentedBodies = z.union([
  ErrorObject.strict(),
  ErrorTextObject.strict(),
  ValidationObject.strict(),
  ExtractionProblem.strict(),
])

const naughtyTexts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    '..',
    '../../etc/passwd',
    '%00',
    '%2e%2e%2f',
    '%zz',
    '%ff',
    "' or 1=1 --",
    '<script>alert(1)</script>',
    '{{7*7}}',
    '__proto__',
    'constructor',
    'ﷺ',
    '😀'.repeat(20),
    '9'.repeat(400),
    '-1',
    '1e309',
    'NaN',
    'null',
    'true',
    '\u202e',
  ),
)

// The response of a stream never ends.
const endingRoutes = routes.filter(({ response }) => response.items === undefined)

const routePaths = fc.constantFrom(
  ...endingRoutes
    .flatMap(pathsOf)
    .map((path) => path.replace(/:\w+/g, '0190b3a0-0000-7000-8000-000000000000')),
)

const paths = fc.oneof(
  { weight: 6, arbitrary: routePaths },
  fc.tuple(routePaths, naughtyTexts).map(([path, text]) => path + text),
  naughtyTexts.map((text) => `/${text}`),
  naughtyTexts,
  fc.webPath(),
)

const headerNames = ['accept', 'x-request-id', 'x-forwarded-for', 'content-type', 'cookie', 'range']
const headerValues = ['application/json', 'text/plain', '*/*', '127.0.0.1', 'bytes=0-', 'a=b']

const fieldNames = [
  'url',
  'event_type',
  'description',
  'is_active',
  'ips',
  'ip',
  'callbackUrl',
  'configurations',
  'metadata',
  'timeout_ms',
]
const optionNames = Object.keys(defaultScrapeOptions)
const almostRightOptions = fc.dictionary(fc.constantFrom(...optionNames), fc.jsonValue())
// The egress guard refuses these before anything is sent.
const forbiddenUrls = fc.constantFrom(
  'http://127.0.0.1/',
  'http://169.254.169.254/',
  'http://[::]/',
)
const almostRightBodies = fc
  .dictionary(
    fc.constantFrom(...fieldNames),
    fc.oneof(fc.jsonValue(), naughtyTexts, forbiddenUrls, almostRightOptions),
  )
  .map((body) => JSON.stringify(body))

const anyRequests = fc.record({
  credentials: fc.constantFrom(
    `x-api-key: ${apiKey}`,
    `authorization: Basic ${btoa(`admin:${password}`)}`,
  ),
  method: fc.oneof(
    fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'),
    naughtyTexts,
  ),
  path: paths,
  query: fc.oneof(fc.constant('verbose'), naughtyTexts),
  headers: fc.dictionary(
    fc.oneof(fc.constantFrom(...headerNames), naughtyTexts),
    fc.oneof(fc.constantFrom(...headerValues), naughtyTexts),
    { maxKeys: 4 },
  ),
  body: fc.oneof(
    almostRightBodies,
    fc.constant(''),
    fc.json(),
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.nat(5000).map((depth) => '['.repeat(depth)),
  ),
})

/** The same request made well-formed, so that it reaches a route. */
const mended = (request: GeneratedRequest): GeneratedRequest => ({
  ...request,
  method: /^[A-Z]+$/.test(request.method) ? request.method : 'POST',
  path: `/${encodeURI(request.path).replace(/^\/+/, '')}`,
  query: encodeURIComponent(request.query),
  headers: {
    'content-type': 'application/json',
    ...Object.fromEntries(
      headerNames
        .filter((name) => name in request.headers)
        .map((name) => [name, request.headers[name]?.replace(/[^ -~]/g, '') ?? '']),
    ),
  },
})

type GeneratedRequest = typeof anyRequests extends fc.Arbitrary<infer Request> ? Request : never

const requests = fc.oneof(
  { weight: 9, arbitrary: anyRequests.map(mended) },
  { weight: 1, arbitrary: anyRequests },
)

const onOneLine = (text: string): string => text.replace(/[\r\n]/g, '')

/** Admission control may refuse work on a busy machine; the request is then retried as advised. */
async function sendUnlessOverloaded(url: string, text: string, triesLeft = 20) {
  const answer = await sendRaw(url, text)
  if (answer.status !== 503 || triesLeft === 0) return answer
  const { code } = ErrorObject.parse(JSON.parse(answer.body))
  if (code !== 'OVERLOADED') return answer
  await pause(1_000 * Number(answer.headers['retry-after']))
  return sendUnlessOverloaded(url, text, triesLeft - 1)
}

/** Asserts no 5xx, documented bodies and matching advice; counts the responses by status. */
export function everyAnswerIsDocumented(url: string, statuses: Map<number, number>) {
  return fc.asyncProperty(requests, async ({ credentials, method, path, query, headers, body }) => {
    const lines = [
      `${method} ${path}${query && `?${query}`} HTTP/1.1`,
      'host: localhost',
      'connection: close',
      credentials,
      `content-length: ${Buffer.byteLength(body)}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ]
    const text = `${lines.map(onOneLine).join('\r\n')}\r\n\r\n${body}`
    const answer = await sendUnlessOverloaded(url, text)

    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    assert.ok(answer.status >= 200 && answer.status < 500, `${answer.status}`)
    assert.ok(answer.headers['x-request-id'])
    if (answer.status < 400) return
    const problem = documentedBodies.parse(JSON.parse(answer.body))
    const { correlation_id, retryable, code } = 'code' in problem ? problem : errorIn(problem)
    assert.equal(correlation_id, answer.headers['x-request-id'])
    assert.equal(retryable, failures[code as FailureCode].isRetryable)
    if (answer.status === 429) assert.match(answer.headers['retry-after'] ?? '', /^\d+$/)
  })
}

/** The error of an extraction names its fine code as a detail. */
const errorIn = ({ error }: z.infer<typeof ExtractionProblem>) => ({
  ...error,
  code: error.details['reason'],
})
