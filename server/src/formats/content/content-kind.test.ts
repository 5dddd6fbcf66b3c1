import assert from 'node:assert/strict'
import test from 'node:test'
import { type ContentKind, contentKind, looksLikePdf } from './content-kind.ts'

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const png = latin1('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')
const pdf = latin1('%PDF-1.7\n%\xe2\xe3\xcf\xd3')
const zip = latin1('PK\x03\x04\x14\0')
const page = Buffer.from('<!DOCTYPE html><html><body>x</body></html>')
const feed = Buffer.from(
  '<?xml version="1.0"?>\n<!-- by x -->\n<rss version="2.0"><channel/></rss>',
)

const cases: [
  name: string,
  contentType: string | undefined,
  bytes: Uint8Array,
  kind: ContentKind,
][] = [
  ['a page', 'text/html; charset=utf-8', page, 'html'],
  ['a page of XHTML', 'application/xhtml+xml', Buffer.from('<html/>'), 'html'],
  ['a page without a type', undefined, page, 'html'],
  [
    'a page after a byte order mark and blank lines',
    undefined,
    Buffer.from('\ufeff\n\n <html>'),
    'html',
  ],
  ['a page as octet-stream', 'application/octet-stream', page, 'html'],
  [
    'a page in UTF-16 without a type',
    undefined,
    Buffer.from('\ufeff<html><p>x', 'utf16le'),
    'html',
  ],
  ['a fragment that begins with a comment', undefined, Buffer.from('<!-- x --><p>y'), 'html'],
  [
    'XHTML with an XML declaration and no type',
    undefined,
    Buffer.from('<?xml version="1.0"?><html xmlns="x">'),
    'html',
  ],
  ['text of an HTML type that has no tags', 'text/html', Buffer.from('hello'), 'html'],
  ['an empty body of an HTML type', 'text/html', Buffer.of(), 'html'],
  ['an empty body without a type', undefined, Buffer.of(), 'text'],
  ['an error page that claims to be a PDF', 'application/pdf', page, 'html'],
  ['JSON', 'application/json', Buffer.from('{"a":1}'), 'json'],
  ['JSON with a byte order mark', 'application/json', Buffer.from('\ufeff{"a":1}'), 'json'],
  ['JSON of a vendor’s type', 'application/vnd.api+json', Buffer.from('[]'), 'json'],
  ['JSON without a type', undefined, Buffer.from(' [1, 2]'), 'json'],
  ['JSON that claims to be a page', 'text/html', Buffer.from('{"a": [1]}'), 'json'],
  ['JSON that is plain text stays text', 'text/plain', Buffer.from('{"a": 1}'), 'text'],
  ['broken JSON is text', 'application/json', Buffer.from('{"a":'), 'text'],
  ['an error page that claims to be JSON', 'application/json', page, 'html'],
  ['text with braces that claims to be a page', 'text/html', Buffer.from('{{ title }}'), 'html'],
  ['plain text', 'text/plain', Buffer.from('hello <b>'), 'text'],
  ['a style sheet', 'text/css', Buffer.from('a {}'), 'text'],
  ['a script', 'application/javascript', Buffer.from('1'), 'text'],
  ['a table', 'text/csv', Buffer.from('a,b'), 'text'],
  ['text without a type', undefined, Buffer.from('hello'), 'text'],
  ['text in a legacy charset', 'text/plain', latin1('\xe4\xf6\xfc'), 'text'],
  ['bytes that claim to be text', 'text/plain', Buffer.of(1, 2, 0, 3), 'binary'],
  ['UTF-16 text with its mark', 'text/plain', Buffer.from('\ufeffab', 'utf16le'), 'text'],
  ['XML', 'application/xml', Buffer.from('<a/>'), 'xml'],
  ['a feed', 'application/rss+xml', feed, 'xml'],
  ['a feed that claims to be a page', 'text/html', feed, 'xml'],
  ['a feed without a type', undefined, Buffer.from('<feed xmlns="x">'), 'xml'],
  ['a PDF', 'application/pdf', pdf, 'pdf'],
  ['a PDF that claims to be a page', 'text/html', pdf, 'pdf'],
  ['a PDF as octet-stream', 'application/octet-stream', pdf, 'pdf'],
  ['a PDF without its signature', 'application/pdf', Buffer.from('x'), 'pdf'],
  ['an image', 'image/png', png, 'image'],
  ['an image that claims to be a page', 'text/html', png, 'image'],
  ['an image without a type', undefined, latin1('\xff\xd8\xff\xe0'), 'image'],
  ['an SVG image', 'image/svg+xml', Buffer.from('<svg/>'), 'image'],
  ['an archive', 'application/zip', zip, 'binary'],
  ['an archive that claims to be text', 'text/plain', zip, 'binary'],
  ['a film', 'video/mp4', Buffer.from('x'), 'binary'],
  ['a document of a vendor’s type', 'application/vnd.ms-excel', Buffer.from('x'), 'binary'],
  ['bytes without a type', undefined, Buffer.of(0, 1, 2, 3), 'binary'],
  ['a type that is no type', 'nonsense', page, 'html'],
]

for (const [name, contentType, bytes, kind] of cases) {
  test(`content: ${name} is ${kind}`, () => {
    assert.equal(contentKind(contentType, bytes), kind)
  })
}

test('bytes inside a larger buffer are looked at alone', () => {
  const around = Buffer.concat([page, png, page])

  assert.equal(
    contentKind(undefined, around.subarray(page.length, page.length + png.length)),
    'image',
  )
})

test('a response looks like a PDF by its type, also when compressed, or by its signature', () => {
  assert.equal(
    looksLikePdf({ 'content-type': 'application/pdf; x=y' }, latin1('\x1f\x8b\x08')),
    true,
  )
  assert.equal(looksLikePdf({ 'content-type': 'application/octet-stream' }, pdf), true)
  const gzip = { 'content-encoding': 'gzip' }
  const type = 'application/octet-stream'
  assert.equal(looksLikePdf({ 'content-type': type, ...gzip }, latin1('\x1f\x8b\x08')), true)
  assert.equal(looksLikePdf({ 'content-type': 'text/html', ...gzip }, latin1('\x1f\x8b')), false)
  assert.equal(looksLikePdf({ 'content-type': 'text/html' }, page), false)
  assert.equal(looksLikePdf({}, Buffer.of()), false)
})
