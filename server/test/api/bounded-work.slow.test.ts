import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { InvalidRequest, toProblem } from '../../src/http/errors/problem.ts'
import { idempotencyOf } from '../../src/http/requests/idempotency-key.ts'
import { partsReader } from '../../src/http/requests/validate.ts'
import type { Route } from '../../src/http/route.ts'
import { routes } from '../../src/http/routes.ts'
import { type BodyPath, bodyWith, listBodyParts, listBodyPaths } from '../support/body-paths.ts'
import { onBothStores } from '../support/test-service.ts'

const bodyCharacters = 250_000
const timesParsingMax = 20
// A single long string is copied, not parsed; below this time no work is comparable.
const parsingMsMin = 0.1
const answerCharactersMax = 64 * 1024
const runs = 80

const routesWithBody = routes.filter((route) => route.body !== undefined)

const good = {
  url: 'http://target.test/',
  callbackUrl: 'http://receiver.test/',
  event_type: 'extract_completed',
}

const repeated = (text: string, separator = ''): string =>
  Array(Math.floor(bodyCharacters / (text.length + separator.length)))
    .fill(text)
    .join(separator)

function manyFields(name: string, value: string): string {
  const count = Math.floor(bodyCharacters / (name.length + value.length + 9))
  return `{${Array.from({ length: count }, (_, index) => `"${name}${index}":${value}`).join(',')}}`
}

const nested = (open: string, inner: string, close: string): string => {
  const count = Math.floor(bodyCharacters / (open.length + close.length + 1))
  return open.repeat(count) + inner + close.repeat(count)
}

const scalars = ['0', 'null', 'true', '""', '"a"', '0.1234', '1e308', '"\\ud800"']
const items = [
  ...scalars,
  '{}',
  '[]',
  '{"a":null}',
  '{"name":"a","value":"b"}',
  '{"action":"click"}',
  '{"action":"type","selector":"a","value":[]}',
  '{"action":"wait","value":1,"x":1}',
  '{"ip":"::1"}',
  '["a","b"]',
  '"(("',
]
const names = ['js_rendr', 'selectr', 'collapseWhitespac', '__proto_', '\\ud800', 'x'.repeat(45)]
const texts = [
  'a',
  '1',
  ' ',
  '\\u0000',
  '\\ud83d\\ude00',
  '../',
  '(?:a{1,9}){1,9}',
  'xn--',
  '=',
  ';',
]

/** JSON of about the largest allowed size, made to be expensive to read. */
const hugeJson = fc.oneof(
  fc.constantFrom(...items).map((item) => `[${repeated(item, ',')}]`),
  fc
    .tuple(fc.constantFrom(...names), fc.constantFrom(...scalars, '[]', '{}'))
    .map(([name, value]) => manyFields(name, value)),
  fc.constantFrom(...texts).map((text) => `"${repeated(text)}"`),
  fc.constantFrom(...texts).map((text) => `"http://${repeated(text)}"`),
  fc.constantFrom(...texts).map((text) => `{"${repeated(text)}":1}`),
  fc.constantFrom(nested('[', '', ']'), nested('{"a":', '1', '}'), nested('[0,', '0', ']')),
  fc.constantFrom('1', '0.1', '1e9').map((number) => number + '1'.repeat(bodyCharacters)),
)

/** One expensive value of each kind, for every path in a body. */
const shapes: readonly string[] = [
  `[${repeated('0', ',')}]`,
  manyFields('a', '0'),
  `"${repeated('a')}"`,
  `{"${repeated('a')}":1}`,
]

const requests = fc
  .constantFrom(...routesWithBody)
  .chain((route) =>
    fc.tuple(
      fc.constant(route),
      fc.constantFrom<BodyPath>(...listBodyPaths(bodyOf(route)), ['unknown']),
      hugeJson,
    ),
  )

test(`reading a body takes at most ${timesParsingMax} times as long as JSON.parse, for any value at any path`, () => {
  // What several bodies have at the same path is read by the same schema, so once is enough.
  const known = new Set<string>()
  for (const route of routesWithBody) {
    const parts = listBodyParts(bodyOf(route)).filter((part) => !isKnown(known, part))
    for (const path of [...parts.map((part) => part.path), ['unknown']]) {
      for (const inner of shapes) {
        const { times } = measure(route, bodyWith(path, inner, good))
        const name = `${route.operationId} at ${path.join('.')}: ${inner.slice(0, 40)}`
        assert.ok(times <= timesParsingMax, `${times} times, ${name}`)
      }
    }
  }
})

test(`reading any of ${runs} generated bodies takes at most ${timesParsingMax} times as long as JSON.parse`, (t) => {
  let slowest = { times: 0, name: '' }

  fc.assert(
    fc.property(requests, ([route, path, inner]) => {
      const name = `${route.operationId} at ${path.join('.')}: ${inner.slice(0, 40)}`
      const { times, answer } = measure(route, bodyWith(path, inner, good))
      if (times > slowest.times) slowest = { times, name }

      assert.ok(times <= timesParsingMax, `${times} times, ${name}`)
      assert.ok(answer.length <= answerCharactersMax, `${answer.length} characters, ${name}`)
    }),
    { numRuns: runs, examples: knownHoles() },
  )

  t.diagnostic(`slowest: ${slowest.times.toFixed(1)} times, ${slowest.name}`)
})

function isKnown(known: Set<string>, part: object): boolean {
  const text = JSON.stringify(part)
  if (known.has(text)) return true
  known.add(text)
  return false
}

/** Bodies that once took a second or more to read, so that every run tests them. */
function knownHoles(): [[Route, BodyPath, string]][] {
  const submit = routesWithBody.find((route) => route.operationId === 'submitCallbackScrape')
  assert.ok(submit)
  const holes: [BodyPath, string][] = [
    [['configurations'], `{"${'a'.repeat(bodyCharacters)}":1}`],
    [['configurations'], manyFields('x'.repeat(45), '1')],
    [['configurations', 'localStorage'], manyFields('k', '[]')],
    [['configurations', 'localStorage'], manyFields('\\ud800', '1')],
    [['metadata'], manyFields('k', '0')],
    [['unknown'], `[${repeated('0', ',')}]`],
    [['unknown'], `[${repeated('null', ',')}]`],
  ]
  return holes.map(([path, inner]) => [[submit, path, inner]])
}

function bodyOf(route: Route) {
  assert.ok(route.body)
  return route.body
}

/** The best of several rounds, since the machine is shared; a bad ratio gets more rounds. */
function measure(route: Route, text: string): { times: number; answer: string } {
  const handle = handlerOf(route)
  let [parsingMs, handlingMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  let answer = ''
  for (let round = 1; round <= 30; round++) {
    parsingMs = Math.min(
      parsingMs,
      msOf(() => JSON.parse(text)),
    )
    handlingMs = Math.min(
      handlingMs,
      msOf(() => {
        answer = handle(JSON.parse(text))
      }),
    )
    const times = handlingMs / Math.max(parsingMs, parsingMsMin)
    if (times <= timesParsingMax && round >= 2) return { times, answer }
  }
  return { times: handlingMs / Math.max(parsingMs, parsingMsMin), answer }
}

/** The cost of a body without its handler: reading it, hashing it and describing its errors. */
function handlerOf(route: Route): (body: unknown) => string {
  const read = partsReader([{ part: 'body', schema: bodyOf(route), key: 'body' }])
  return (body) => {
    try {
      read({ params: undefined, query: undefined, headers: undefined, body })
      return (route.headers && idempotencyOf('key', body)?.fingerprint) ?? ''
    } catch (error) {
      if (!(error instanceof InvalidRequest)) throw error
      return JSON.stringify(toProblem(error, 'id').body)
    }
  }
}

function msOf(action: () => unknown): number {
  const startedMs = performance.now()
  action()
  return performance.now() - startedMs
}

onBothStores((kind, start) => {
  test(`${kind}: an unknown key of 250 000 characters is reported by its first 64, once per place`, async (t) => {
    const account = await (await start(t)).createAccount()
    const name = `${'😀'.repeat(100)}${'a'.repeat(bodyCharacters)}`

    const answer = await account.call('POST /api/scraper/scrape/callback', {
      ...good,
      configurations: { [name]: 1 },
    })

    assert.equal(answer.statusCode, 422)
    assert.deepEqual(answer.json().detail, [
      {
        loc: ['body', 'configurations', '😀'.repeat(64)],
        msg: 'Extra inputs are not permitted',
        type: 'extra_forbidden',
      },
    ])
    assert.ok(JSON.stringify(answer.json()).length < 1_500)
  })
})
