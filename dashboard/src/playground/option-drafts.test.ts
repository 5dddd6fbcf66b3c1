import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { startingDrafts } from './form-state.ts'
import { SchemaBook } from './json-schema.ts'
import { carriedDrafts, draftedBody, draftsOf } from './option-drafts.ts'
import { listOptionFields } from './option-fields.ts'
import type { PlaygroundOperation, PlaygroundRequest } from './playground-request.ts'

const description = readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')
const book = new SchemaBook(JSON.parse(description))
const extract = listOptionFields(book, 'extract')
const url = 'https://example.com'

test('only what differs from the default is sent', () => {
  const { body, faults } = draftedBody(extract, {
    url,
    timeout: '60000',
    only_main_content: 'false',
    max_age: '5',
    'configurations.debug': 'true',
    'configurations.optimizations.skipDomains': 'a.example\n\n b.example ',
  })

  assert.deepEqual(faults, {})
  assert.deepEqual(body, {
    url,
    max_age: 5,
    configurations: {
      debug: true,
      optimizations: { skipDomains: ['a.example', 'b.example'] },
    },
  })
})

test('a chosen value is sent even if it is the default, which may depend on other options', () => {
  const { body } = draftedBody(extract, { url, render_js: 'false', 'configurations.mode': 'load' })

  assert.deepEqual(body, { url, render_js: false, configurations: { mode: 'load' } })
})

test('what is not valid is said at its field', () => {
  const { faults } = draftedBody(extract, {
    timeout: '1.5',
    max_age: 'x',
    headers: '{',
    render_js: 'perhaps',
    'proxy.country': 'DE',
  })

  assert.deepEqual(Object.keys(faults).sort(), [
    'headers',
    'max_age',
    'render_js',
    'timeout',
    'url',
  ])
  assert.equal(faults['url'], 'This is required.')
  assert.equal(faults['timeout'], 'This is a whole number.')
})

const bodies: [PlaygroundOperation, PlaygroundRequest['body']][] = [
  ['extract', { url, formats: ['text', 'html'], render_js: 'auto', body: '5' }],
  ['extract', { url, method: 'POST', body: { a: [1] }, headers: { 'x-a': '"' } }],
  ['extract', { url, body: 'plain text\nof two lines', proxy: { country: 'DE', type: 'mix' } }],
  ['callback', { url, callbackUrl: url, callback_on_failure: false, metadata: { a: null } }],
  ['realtime', { url, configurations: { viewport: { width: 5, isMobile: false } } }],
  ['batch', { urls: [url, `${url}/2`], ignore_invalid_urls: false }],
  ['crawl', { url, include_paths: ['/a/*'], depth: 3 }],
  ['map', { url, search: 'a b', ignore_query_parameters: false }],
]
for (const [operation, body] of bodies) {
  test(`the form shows the body of ${operation} and sends it as it was: ${JSON.stringify(body)}`, () => {
    const fields = listOptionFields(book, operation)

    const { drafts, unknown } = draftsOf(fields, body)

    assert.deepEqual(unknown, [])
    assert.deepEqual(draftedBody(fields, drafts), { body, faults: {} })
  })
}

test('what no field can show is named', () => {
  const body = JSON.parse(
    '{"url":"https://example.com","unheard":1,"proxy":"x","timeout":"soon","configurations":{"debug":false,"other":{}},"__proto__":{"max_age":1}}',
  )

  const { drafts, unknown } = draftsOf(extract, body)

  assert.deepEqual(drafts, { url, 'configurations.debug': 'false' })
  assert.deepEqual(unknown, ['unheard', 'proxy', 'timeout', 'configurations.other', '__proto__'])
})

test('another operation takes over what it has too, and the page', () => {
  const batch = listOptionFields(book, 'batch')
  const entered = { url, timeout: '5000', processing_mode: 'async' }

  const carried = carriedDrafts(batch, entered)

  assert.deepEqual(carried, { urls: url, timeout: '5000' })
  assert.equal(carriedDrafts(extract, { urls: `\n${url}\nhttps://example.org` })['url'], url)
})

test('the playground records what a page asked for, visibly', () => {
  const bodyOf = (operation: PlaygroundOperation) => {
    const fields = listOptionFields(book, operation)
    return draftedBody(fields, startingDrafts(fields)).body
  }

  assert.deepEqual(bodyOf('extract'), {
    formats: ['html', 'markdown'],
    configurations: { debug: true },
  })
  assert.deepEqual(bodyOf('realtime'), {
    configurations: { debug: true, response_format: 'json' },
  })
  assert.deepEqual(bodyOf('map'), {})
})
