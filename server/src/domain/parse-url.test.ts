import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { parseUrl } from './parse-url.ts'

const ideographs = (count: number): string =>
  Array.from({ length: count }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('')
const long = ideographs(4_000)
const page = 'https://example.com/folder/page'

/** How the URL comes out, and how often the parser of the platform was asked. */
function parseCounted(text: string, base?: string) {
  const parser = mock.method(URL, 'parse')
  try {
    const url = parseUrl(text, base)
    return { href: url?.href, parsings: parser.mock.callCount() }
  } finally {
    parser.mock.restore()
  }
}

for (const [spelling, text, base] of [
  ['a plain URL', `http://${long}/`],
  ['a scheme in capitals', `HTTPS://${long}`],
  ['backslashes', `http:\\\\${long}\\path`],
  ['any number of slashes', `http:/\\//${long}?query`],
  ['no slash', `http:${long}#fragment`],
  ['space and control characters in front', `\0 \x1f http://${long}/`],
  ['tabs and line breaks inside', `ht\ttp:\n/\r/${long}/`],
  ['tabs in the host', `http://${[...long].join('\t')}/`],
  ['a user and a password', `http://user:pass@word@${long}/`],
  ['a port', `http://${long}:8080/`],
  ['percent-encoding', `http://${encodeURIComponent(ideographs(400))}/`],
  ['a few escapes', `http://%61${ideographs(1_000)}/`],
  ['another scheme with names', `wss://${long}/`],
  ['a reference to another host', `//${long}/`, page],
  ['a reference with backslashes', `/\\${long}/`, page],
  ['a reference after a tab', ` \t/\t/${long}/`, page],
  ['the base', 'path', `http://${long}/`],
] as [string, string, string?][]) {
  test(`a host that is too long does not reach the URL parser: ${spelling}`, () => {
    assert.deepEqual(parseCounted(text, base), { href: undefined, parsings: 0 })
  })
}

for (const [what, text, base] of [
  ['a long path', `http://example.com/${long}`],
  ['a long query', `http://example.com?${long}`],
  ['a long fragment', `http://example.com#${long}`],
  ['a long user and password', `http://${'user'.repeat(100)}:${long}@example.com/`],
  ['a name of 253 characters', `http://${'abcd.'.repeat(50)}com/${'p'.repeat(300)}`],
  ['an escaped name', `http://${encodeURIComponent(ideographs(50))}.example/`],
  ['a relative path', long, page],
  ['an absolute path', `/${long}`, page],
  ['a path with two slashes later', `a//${long}`, page],
  ['a query with a URL', `?to=http://${long}/`, page],
  ['data', `data:text/plain,${long}`],
  ['a host that is no name', `custom://${long}/`],
] as [string, string, string?][]) {
  test(`a URL that is long elsewhere than in its host is parsed: ${what}`, () => {
    assert.deepEqual(parseCounted(text, base), { href: new URL(text, base).href, parsings: 1 })
  })
}
