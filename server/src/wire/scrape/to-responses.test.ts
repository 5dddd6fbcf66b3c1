import assert from 'node:assert/strict'
import test from 'node:test'
import { type JsonPieces, joined } from '../../runtime/splice-json.ts'
import { type ResultFacts, resultJson } from './to-responses.ts'

const facts: ResultFacts = {
  page: {
    statusCode: 200,
    url: 'https://example.com/ü?"q"',
    headers: { 'content-type': 'text/html' },
    cookies: [],
    bandwidth: { received: 3, sent: 2, requests: 1 },
    engine: 'http',
  },
  content: { kind: 'html', bytes: Buffer.from(JSON.stringify('<p class="a">ü</p>')) },
  options: { response_format: 'json', debug: false },
  attempts: 2,
  debug: { attempts: [] },
}

const textOf = (pieces: JsonPieces) => Buffer.from(joined(pieces)).toString('utf8')
const read = (changes: Partial<ResultFacts>) =>
  JSON.parse(textOf(resultJson({ ...facts, ...changes })))

const image = { type: 'png' as const, width: 3, height: 2 }
const fromBrowser: Partial<ResultFacts> = {
  page: {
    ...facts.page,
    engine: 'browser',
    scenario: [{ action: 'evaluate', ok: true, durationMs: 4, value: { a: [1] } }],
    collectedData: [],
  },
  image: { ...image, bytes: Buffer.from('an image') },
}

test('a result in the format html has only the page, its status and its URL', () => {
  const result = read({ options: { response_format: 'html', debug: true } })

  assert.deepEqual(result, {
    statusCode: 200,
    url: 'https://example.com/ü?"q"',
    html: '<p class="a">ü</p>',
  })
})

test('a result in the format json also has the facts of the fetch, in the contract’s order', () => {
  const result = read({})

  assert.deepEqual(Object.keys(result), [
    'statusCode',
    'url',
    'html',
    'headers',
    'cookies',
    'bandwidth',
    'engine',
    'attempts',
  ])
  assert.deepEqual(result.bandwidth, { received: 3, sent: 2, requests: 1 })
})

test('a result has the debug field when it was asked for', () => {
  const result = read({ options: { response_format: 'json', debug: true } })

  assert.deepEqual(result.debug, { attempts: [] })
  assert.equal(Object.keys(result).at(-1), 'debug')
})

test('a JSON page is embedded as JSON, without losing a digit', () => {
  const bytes = Buffer.from('{"id": 12345678901234567890}')

  const text = textOf(resultJson({ ...facts, content: { kind: 'json', bytes } }))

  assert.match(text, /"json":\{"id": 12345678901234567890\},"headers":/)
})

test('screenshot, collected data and scenario are in both formats', () => {
  const expected = {
    screenshot: { ...image, data: Buffer.from('an image').toString('base64') },
    collectedData: [],
    scenario: [{ action: 'evaluate', ok: true, durationMs: 4, value: { a: [1] } }],
  }

  const html = read({ ...fromBrowser, options: { response_format: 'html', debug: true } })
  const json = read({ ...fromBrowser, options: { response_format: 'json', debug: true } })

  const { statusCode, url } = facts.page
  assert.deepEqual(html, { statusCode, url, html: '<p class="a">ü</p>', ...expected })
  const { screenshot, collectedData, scenario } = json
  assert.deepEqual({ screenshot, collectedData, scenario }, expected)
  assert.deepEqual(Object.keys(json).slice(-5), [
    'attempts',
    'screenshot',
    'collectedData',
    'scenario',
    'debug',
  ])
})

test('a screenshot that is stored apart appears as a link', () => {
  const url = 'https://trawl.test/image?signature=a'

  const { screenshot } = read({ ...fromBrowser, image: { ...image, url } })

  assert.deepEqual(screenshot, { ...image, url })
})
