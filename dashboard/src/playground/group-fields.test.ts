import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { groupFields } from './group-fields.ts'
import { SchemaBook } from './json-schema.ts'
import { listOptionFields } from './option-fields.ts'

const description = readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')
const fields = listOptionFields(new SchemaBook(JSON.parse(description)), 'extract')

test('every option that is not required is in one group', () => {
  const groups = groupFields(fields, '')

  assert.equal(groups.flatMap((group) => group.fields).length, fields.length - 1)
  assert.equal(new Set(groups.map(({ name }) => name)).size, groups.length)
  assert.deepEqual(
    groups.slice(0, 3).map(({ name }) => name),
    ['', 'proxy', 'wait_config'],
  )
})

test('a search finds names and descriptions, in any case and order', () => {
  const found = (search: string) =>
    groupFields(fields, search).flatMap((group) => group.fields.map(({ key }) => key))

  assert.deepEqual(found('ISO 3166 proxy.country'), ['proxy.country'])
  assert.ok(found('fonts').includes('configurations.block_resources'))
  assert.deepEqual(found('no such option'), [])
})
