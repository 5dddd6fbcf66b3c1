import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { type Content, type PageToPresent, present } from './present.ts'
import { presentSmall } from './present-small.ts'

const html = '<!doctype html><title>Zoë</title><p>"quoted" \\ \t'
const page: PageToPresent = {
  body: Buffer.from(html),
  contentEncoding: undefined,
  contentType: 'text/html; charset=utf-8',
  isJson: false,
  minify: undefined,
  form: 'embedded',
}

const withBuffer = (content: Content): Content => ({
  ...content,
  bytes: Buffer.from(content.bytes),
})

const same: [name: string, change: Partial<PageToPresent>][] = [
  ['as it is', {}],
  ['by itself', { form: 'plain' }],
  ['compressed with gzip', { body: gzipSync(html), contentEncoding: 'gzip' }],
  ['with a name of its encoding in capitals', { body: gzipSync(html), contentEncoding: ' GZIP' }],
  ['with a byte order mark', { body: Buffer.from(`\ufeff${html}`), form: 'plain' }],
  ['without a byte', { body: Buffer.alloc(0) }],
  ['with its charset in quotes', { contentType: 'text/plain;charset="UTF-8"' }],
]

for (const [name, change] of same) {
  test(`a small page ${name} is presented as in a thread`, async () => {
    const changed = { ...page, ...change }

    const content = presentSmall(changed)

    assert(content)
    assert.deepEqual(withBuffer(content), withBuffer(await present(changed)))
    assert.notEqual(content.bytes.buffer, changed.body.buffer)
  })
}

test('any text in UTF-8 is presented as in a thread', async () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 500 })
  await fc.assert(
    fc.asyncProperty(anyText, fc.constantFrom('embedded', 'plain'), async (text, form) => {
      const given: PageToPresent = { ...page, body: Buffer.from(text), form }
      const small = presentSmall(given)
      assert.deepEqual(small && withBuffer(small), withBuffer(await present(given)))
    }),
  )
})

const others: [name: string, change: Partial<PageToPresent>][] = [
  ['of another charset', { contentType: 'text/html; charset=iso-8859-1' }],
  ['of two charsets', { contentType: 'text/html; charset=iso-8859-1; charset=utf-8' }],
  ['without a charset', { contentType: 'text/html' }],
  ['that is not UTF-8', { body: Buffer.from('caf\xe9', 'latin1') }],
  ['that is broken', { contentEncoding: 'gzip' }],
  ['of another encoding', { body: brotliCompressSync(html), contentEncoding: 'br' }],
  ['with two encodings', { body: gzipSync(gzipSync(html)), contentEncoding: 'gzip, gzip' }],
  ['with a large body', { body: Buffer.alloc(33 * 1024, 32) }],
  [
    'that unpacks to a large one',
    { body: gzipSync(Buffer.alloc(300_000)), contentEncoding: 'gzip' },
  ],
  ['in raw form', { form: 'raw' }],
  ['of JSON', { isJson: true }],
  ['that may be a PDF', { mayBePdf: true }],
  ['to be minified', { minify: { useMinifier: true } as NonNullable<PageToPresent['minify']> }],
  ['of which a part is wanted', { part: { offset: 0, max_length: 1 } }],
]

for (const [name, change] of others) {
  test(`a page ${name} is left to a thread`, () => {
    assert.equal(presentSmall({ ...page, ...change } as PageToPresent), undefined)
  })
}
