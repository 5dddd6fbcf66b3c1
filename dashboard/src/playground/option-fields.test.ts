import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type OptionSchema, SchemaBook } from './json-schema.ts'
import { groupFields, listOptionFields } from './option-fields.ts'
import { type PlaygroundOperation, playgroundOperations } from './playground-request.ts'

const description = readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')
const book = new SchemaBook(JSON.parse(description))
const operations = Object.keys(playgroundOperations) as PlaygroundOperation[]

/** Names of everything that a schema has no further names below. */
function leaves(schema: OptionSchema, above: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, given]) => {
    const inner = book.resolve(given)
    return inner.properties ? leaves(inner, `${above}${name}.`) : [`${above}${name}`]
  })
}

for (const operation of operations) {
  test(`every option of ${operation} has a field`, () => {
    const fields = listOptionFields(book, operation)

    assert.deepEqual(
      fields.map(({ key }) => key),
      leaves(book.getRequestSchema(operation), ''),
    )
    assert.ok(fields.length >= 4)
  })
}

test('the values of a choice are found where its schema is a reference', () => {
  const post = (schema: OptionSchema) => ({
    post: { requestBody: { content: { 'application/json': { schema } } } },
  })
  const $ref = '#/components/schemas/Engine'
  const named = new SchemaBook({
    paths: {
      [playgroundOperations.extract.path]: post({
        properties: {
          one: { $ref },
          none: { anyOf: [{ $ref }, { type: 'null' }] },
          many: { type: 'array', items: { $ref } },
        },
      }),
    },
    components: { schemas: { Engine: { type: 'string', enum: ['http', 'browser'] } } },
  })

  const fields = listOptionFields(named, 'extract')

  assert.deepEqual(
    fields.map(({ kind, choices }) => [kind, choices]),
    [
      ['choice', ['http', 'browser']],
      ['choice', ['http', 'browser']],
      ['choices', ['http', 'browser']],
    ],
  )
})

test('a field is of the kind that its schema needs', () => {
  const fields = listOptionFields(book, 'extract')
  const kindOf = (key: string) => fields.find((field) => field.key === key)?.kind

  const kinds = Object.fromEntries(
    [
      'url',
      'formats',
      'render_js',
      'headers',
      'proxy.country',
      'timeout',
      'only_main_content',
      'body',
      'extract_rules',
      'configurations.cookies',
      'configurations.optimizations.skipDomains',
      'configurations.viewport.isMobile',
      'configurations.HTMLMinifier.minifyURLs',
    ].map((key) => [key, kindOf(key)]),
  )

  assert.deepEqual(kinds, {
    url: 'text',
    formats: 'choices',
    render_js: 'choice',
    headers: 'json',
    'proxy.country': 'text',
    timeout: 'number',
    only_main_content: 'flag',
    body: 'any',
    extract_rules: 'json',
    'configurations.cookies': 'json',
    'configurations.optimizations.skipDomains': 'lines',
    'configurations.viewport.isMobile': 'choice',
    'configurations.HTMLMinifier.minifyURLs': 'any',
  })
})

test('a field knows its default, its description and whether it is required', () => {
  const fields = listOptionFields(book, 'callback')
  const get = (key: string) => fields.find((field) => field.key === key) ?? assert.fail(key)

  assert.equal(get('timeout_ms').default, 60_000)
  assert.equal(get('configurations.mode').default, 'load')
  assert.deepEqual(listOptionFields(book, 'batch').find(({ key }) => key === 'formats')?.default, [
    'markdown',
  ])
  assert.match(get('configurations.debug').description, /what was requested/)
  assert.deepEqual(
    fields.filter(({ isRequired }) => isRequired).map(({ key }) => key),
    ['url', 'callbackUrl'],
  )
})

const fields = listOptionFields(book, 'extract')

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
