import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fieldFaultsOf } from './field-faults.ts'
import { SchemaBook } from './json-schema.ts'
import { listOptionFields } from './option-fields.ts'

const description = readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')
const fields = listOptionFields(new SchemaBook(JSON.parse(description)), 'extract')

test('a fault is said at its field, or at the field that it lies in', () => {
  const error = {
    message: 'Not valid.',
    code: 'VALIDATION_ERROR',
    detail: [
      { loc: ['body', 'url'], msg: 'Input should be a URL', type: 'url_parsing' },
      { loc: ['body', 'configurations', 'cookies', '0', 'name'], msg: 'Wrong', type: 'x' },
      { loc: ['body', 'wait_config'], msg: 'Input should be an object', type: 'x' },
      { loc: ['header', 'x'], msg: 'Wrong', type: 'x' },
      { loc: ['body', 'unheard'], msg: 'Wrong', type: 'x' },
    ],
  }

  assert.deepEqual(fieldFaultsOf(fields, error), {
    url: 'Input should be a URL',
    'configurations.cookies': '0.name: Wrong',
    'wait_config.wait_until': 'Input should be an object',
  })
})

test('an address that may not be fetched is a fault of the URL', () => {
  const refused = { message: 'Not allowed.', code: 'INVALID_URL', reason: 'URL_NOT_ALLOWED' }

  assert.deepEqual(fieldFaultsOf(fields, refused), { url: 'Not allowed.' })
})

test('other errors are about no field', () => {
  assert.deepEqual(fieldFaultsOf(fields, { message: 'Full.', code: 'QUEUE_FULL' }), {})
  assert.deepEqual(fieldFaultsOf(fields, new Error('x')), {})
})
