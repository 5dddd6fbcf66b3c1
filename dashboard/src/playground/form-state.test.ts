import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  formOfHash,
  formOfOperation,
  formOfRequest,
  operationOfPath,
  withDraft,
  withoutDrafts,
} from './form-state.ts'
import { SchemaBook } from './json-schema.ts'

const description = readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')
const book = new SchemaBook(JSON.parse(description))
const starting = { formats: 'html\nmarkdown', 'configurations.debug': 'true' }

test('without a request in the address the form has its starting values', () => {
  const { operation, drafts, notice } = formOfHash(book, '#content')

  assert.deepEqual(
    { operation, drafts, notice },
    { operation: 'extract', drafts: starting, notice: undefined },
  )
})

test('the request of an address fills the form with just that', () => {
  const { operation, drafts } = formOfHash(book, '#map={"url":"https://example.com"}')

  assert.deepEqual(
    { operation, drafts },
    { operation: 'map', drafts: { url: 'https://example.com' } },
  )
})

test('an address that cannot be read leaves a form that works, and says why', () => {
  const { drafts, notice } = formOfHash(book, '#scrape={}')

  assert.deepEqual(drafts, starting)
  assert.equal(
    notice,
    'The request in this address cannot be read. There is no operation "scrape".',
  )
})

test('what was left out and what no field can show is said together', () => {
  const request = { operation: 'map', body: { url: 'https://example.com', depth: 2 } } as const

  assert.equal(formOfRequest(book, request, ['headers']).notice, 'Not taken over: headers, depth.')
})

test('another operation has its starting values and what was entered before', () => {
  const before = { url: 'https://example.com', timeout: '5000', 'configurations.debug': 'false' }

  const { drafts } = formOfOperation(book, 'batch', before)

  assert.deepEqual(drafts, {
    urls: 'https://example.com',
    timeout: '5000',
    formats: 'html\nmarkdown',
    'configurations.debug': 'false',
  })
})

test('options are entered and reset', () => {
  const form = formOfHash(book, '')

  const entered = withDraft(form, 'timeout', '5000')

  assert.equal(entered.drafts['timeout'], '5000')
  assert.deepEqual(withDraft(entered, 'timeout', '').drafts, starting)
  assert.deepEqual(withoutDrafts(entered, Object.keys(entered.drafts)).drafts, {})
})

test('a path of the API is that of an operation', () => {
  assert.equal(operationOfPath('/api/scraper/scrape/realtime'), 'realtime')
  assert.equal(operationOfPath('/v1/search'), undefined)
})
