import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { SchemaBook } from './json-schema.ts'
import { listOptionFields, type OptionField } from './option-fields.ts'
import { type PlaygroundOperation, playgroundOperations } from './playground-request.ts'
import { leftOutNames, readHash, toHash, toSharedRequest } from './share-link.ts'

const description = readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')
const book = new SchemaBook(JSON.parse(description))
const operations = Object.keys(playgroundOperations) as PlaygroundOperation[]
const secret = 'hunter2'

/** Options with free content that are known to carry no credential; a new one has to be judged. */
const harmless = [
  /^configurations\.HTMLMinifier\./,
  /^(url|urls|search|extract_rules|include_paths|exclude_paths)$/,
  /^(proxy\.country|configurations\.country_code)$/,
  /^(wait_config\.wait_for|configurations\.waitForSelector)$/,
  /^configurations\.optimizations\.skipDomains$/,
]

const isFree = ({ kind }: OptionField) => ['text', 'lines', 'json', 'any'].includes(kind)

for (const operation of operations) {
  test(`a link to ${operation} has no field that may carry a credential`, () => {
    const fields = listOptionFields(book, operation)
    const names = leftOutNames[operation]
    const isLeftOut = (key: string) => names.some((name) => `${key}.`.startsWith(`${name}.`))

    const unjudged = fields.filter(
      (field) =>
        isFree(field) && !isLeftOut(field.key) && !harmless.some((known) => known.test(field.key)),
    )

    assert.deepEqual(
      unjudged.map(({ key }) => key),
      [],
    )
    // A name of the table that the schema no longer has would protect nothing.
    for (const name of names) {
      assert.ok(
        fields.some(({ key }) => `${key}.`.startsWith(`${name}.`)),
        name,
      )
    }
  })
}

test('a link says what it has left out', () => {
  const { request, leftOut } = toSharedRequest({
    operation: 'extract',
    body: {
      url: `https://user:${secret}@example.com/a?b=c#d`,
      formats: ['html'],
      headers: { authorization: secret },
      body: { password: secret },
      session: secret,
      configurations: {
        debug: true,
        cookies: [{ name: 'a', value: secret }],
        localStorage: { token: secret },
        js_scenario: { actions: [{ action: 'type', selector: 'input', value: secret }] },
      },
    },
  })

  assert.deepEqual(request.body, {
    url: 'https://example.com/a?b=c#d',
    formats: ['html'],
    configurations: { debug: true },
  })
  assert.ok(!toHash(request)?.includes(secret))
  assert.deepEqual(leftOut, [
    'the user and password in url',
    'headers',
    'body',
    'session',
    'configurations.cookies',
    'configurations.localStorage',
    'configurations.js_scenario',
  ])
})

for (const url of [
  `https://${secret}@example.com/`,
  `https://a@b:${secret}@example.com/`,
  `HTTPS:\\\\a:${secret}@example.com/`,
  `  https:a:${secret}@example.com`,
  `https:///a:${secret}@example.com?x=@`,
]) {
  test(`the user and password of a URL are not in a link: ${url}`, () => {
    const { request, leftOut } = toSharedRequest({ operation: 'batch', body: { urls: [url] } })

    assert.ok(!JSON.stringify(request).includes(secret), JSON.stringify(request))
    assert.deepEqual(leftOut, ['the user and password in urls'])
  })
}

test('an address is what it was made of', () => {
  const request = {
    operation: 'crawl',
    body: { url: 'https://example.com/ä?a=b&c=%20#x', include_paths: ['/"\u2028<a>%'] },
  } as const

  assert.deepEqual(readHash(toHash(request) ?? ''), { request, leftOut: [] })
})

test('a request that is too long for an address has none', () => {
  const urls = Array.from({ length: 1_000 }, (_, index) => `https://example.com/${index}`)

  assert.ok(toHash({ operation: 'batch', body: { urls } }))
  assert.equal(toHash({ operation: 'map', body: { search: 'x'.repeat(200_000) } }), undefined)
})

test('what a link does not contain is not taken from an address of a stranger either', () => {
  const hash = toHash({
    operation: 'batch',
    body: { urls: ['https://example.com/'], session: 'a', callback_url: 'https://example.org/' },
  })

  assert.deepEqual(readHash(hash ?? ''), {
    request: { operation: 'batch', body: { urls: ['https://example.com/'] } },
    leftOut: ['session', 'callback_url'],
  })
})

test('a fragment of something else is no request, and a broken one is refused', () => {
  assert.equal(readHash(''), undefined)
  assert.equal(readHash('#content'), undefined)
  assert.throws(() => readHash('#extract=%7B%22url'), /cut off or changed/)
  assert.throws(() => readHash('#extract=%E0%A4%A'), /cut off or changed/)
  assert.throws(() => readHash('#extract=5'), /not a request/)
  assert.throws(() => readHash('#extract=[]'), /not a request/)
  assert.throws(() => readHash('#constructor={}'), /no operation/)
  assert.throws(() => readHash(`#map=${' '.repeat(200_000)}{}`), /too long/)
})
