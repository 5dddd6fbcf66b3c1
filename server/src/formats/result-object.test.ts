import assert from 'node:assert/strict'
import test from 'node:test'
import { type ResultFacts, resultJson } from './result-object.ts'

const facts: ResultFacts = {
  page: {
    statusCode: 200,
    url: 'https://example.com/ü?"q"',
    headers: { 'content-type': 'text/html' },
    cookies: [],
    bandwidth: { received: 3, sent: 2, requests: 1 },
  },
  content: { kind: 'html', bytes: Buffer.from(JSON.stringify('<p class="a">ü</p>')) },
  options: { response_format: 'json', debug: false },
  engine: 'http',
  attempts: 2,
  debug: { attempts: [] },
}

const read = (changes: Partial<ResultFacts>) =>
  JSON.parse(Buffer.concat(resultJson({ ...facts, ...changes })).toString('utf8'))

test('as html it is the page alone, with its status and address', () => {
  const result = read({ options: { response_format: 'html', debug: true } })

  assert.deepEqual(result, {
    statusCode: 200,
    url: 'https://example.com/ü?"q"',
    html: '<p class="a">ü</p>',
  })
})

test('as json it also says how the page came, in the contract’s order', () => {
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

test('debug is added where it was asked for', () => {
  const result = read({ options: { response_format: 'json', debug: true } })

  assert.deepEqual(result.debug, { attempts: [] })
  assert.equal(Object.keys(result).at(-1), 'debug')
})

test('JSON stands in it as JSON, to the last digit', () => {
  const bytes = Buffer.from('{"id": 12345678901234567890}')

  const text = Buffer.concat(resultJson({ ...facts, content: { kind: 'json', bytes } })).toString()

  assert.match(text, /"json":\{"id": 12345678901234567890\},"headers":/)
})
