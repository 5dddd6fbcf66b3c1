import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { canonicalUrl, urlCharactersMax } from './canonical-url.ts'

const cases: [name: string, url: string, canonical: string | undefined][] = [
  ['a fragment is dropped', 'http://a.test/x?y#z', 'http://a.test/x?y'],
  ['an empty fragment is dropped', 'http://a.test/x#', 'http://a.test/x'],
  ['the fragment of an application is dropped too', 'http://a.test/#/users', 'http://a.test/'],
  ['dot segments are resolved', 'http://a.test/a/./b/../c/%2e%2E/d', 'http://a.test/a/d'],
  ['scheme and host are in lower case', 'HTTP://A.Test/PaTh', 'http://a.test/PaTh'],
  ['the default port of http is dropped', 'http://a.test:80/', 'http://a.test/'],
  ['the default port of https is dropped', 'https://a.test:443/', 'https://a.test/'],
  ['any other port is kept', 'http://a.test:443/', 'http://a.test:443/'],
  ['unreserved characters are decoded', 'http://a.test/%7eb%2D%5F%41?%7E', 'http://a.test/~b-_A?~'],
  [
    'other escapes get upper-case digits',
    'http://a.test/%c3%a9%2f?%3d',
    'http://a.test/%C3%A9%2F?%3D',
  ],
  ['characters outside ASCII are escaped', 'http://a.test/é', 'http://a.test/%C3%A9'],
  [
    'the order of query parameters is kept',
    'http://a.test/?b=1&a=2&b=0',
    'http://a.test/?b=1&a=2&b=0',
  ],
  ['an empty query is kept', 'http://a.test/?', 'http://a.test/?'],
  ['a slash at the end is kept', 'http://a.test/x/', 'http://a.test/x/'],
  ['repeated slashes are kept', 'http://a.test//x//', 'http://a.test//x//'],
  ['credentials are dropped', 'http://user:pass@a.test/x', 'http://a.test/x'],
  ['an escape after a lone per cent sign stays', 'http://a.test/%%37E', 'http://a.test/%%37E'],
  ['an escape after half an escape stays', 'http://a.test/%4%35', 'http://a.test/%4%35'],
  ['another scheme is no candidate', 'ftp://a.test/', undefined],
  ['a script is no candidate', 'javascript:alert(1)', undefined],
  ['what is no URL is no candidate', '/relative', undefined],
]

for (const [name, url, canonical] of cases) {
  test(`${name}: ${url}`, () => {
    assert.equal(canonicalUrl(url), canonical)
    if (URL.canParse(url)) assert.equal(canonicalUrl(new URL(url)), canonical)
  })
}

test('a URL is a candidate up to the maximum length', () => {
  const longest = `http://a.test/${'x'.repeat(urlCharactersMax - 'http://a.test/'.length)}`

  assert.equal(canonicalUrl(longest), longest)
  assert.equal(canonicalUrl(`${longest}x`), undefined)
  assert.equal(canonicalUrl(`http://a.test/${'x'.repeat(10 * 2 ** 20)}`), undefined)
})

test('a URL that is too long once it is escaped is no candidate', () => {
  assert.equal(canonicalUrl(`http://a.test/${'é'.repeat(urlCharactersMax / 2)}`), undefined)
})

test('the given URL object is not changed', () => {
  const url = new URL('http://user:pass@a.test/%7e#x')

  canonicalUrl(url)

  assert.equal(url.href, 'http://user:pass@a.test/%7e#x')
})

const reference = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '%',
        '%4',
        '%7',
        'E',
        '%2e',
        '.',
        '..',
        '/',
        '%2F',
        '?',
        '#',
        '%25',
        '%37',
        'é',
      ),
      fc.string({ maxLength: 3, unit: 'binary' }),
    ),
    { maxLength: 20 },
  )
  .map((parts) => `http://A.test:80/${parts.join('')}`)

test('the canonical form of a canonical URL is itself', () => {
  fc.assert(
    fc.property(fc.oneof(reference, fc.webUrl({ withQueryParameters: true })), (url) => {
      const canonical = canonicalUrl(url)

      assert.notEqual(canonical, undefined)
      assert.equal(canonicalUrl(canonical ?? ''), canonical)
    }),
    { numRuns: 2_000 },
  )
})

test('a canonical URL means the same bytes as the URL', () => {
  const bytesOf = (url: string) =>
    url.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  fc.assert(
    fc.property(reference, (text) => {
      const url = new URL(text)
      url.hash = ''

      assert.equal(bytesOf(canonicalUrl(url) ?? ''), bytesOf(url.href))
    }),
  )
})
