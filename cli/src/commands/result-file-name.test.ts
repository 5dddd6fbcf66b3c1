import assert from 'node:assert/strict'
import { basename } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { resultFileName } from './result-file-name.ts'

const names: [url: string, name: string][] = [
  ['https://example.com/', 'example.com'],
  ['https://example.com/docs/a.html?page=2&x=%20', 'example.com-docs-a.html-page=2-x='],
  ['https://example.com:8443/a', 'example.com-8443-a'],
  ['https://example.com/caf%C3%A9/%E9%AD%9A', 'example.com-café-魚'],
  ['https://example.com/..%2f..%2fetc%2fpasswd', 'example.com-etc-passwd'],
  ['https://example.com/a%00b%0ac%1b[2J', 'example.com-a-b-c-2J'],
  ['https://example.com/%ff%fe', 'example.com-ff-fe'],
  ['https://example.com/%E2%80%AEtxt.exe', 'example.com-txt.exe'],
  ['https://user:secret@example.com/', 'example.com'],
  ['http://[2001:db8::1]/', '2001-db8-1'],
  ['http://con/', '_con'],
  ['not a URL', 'not-a-URL'],
  ['../..', 'page'],
  ['', 'page'],
]

for (const [url, name] of names) {
  test(`the page at ${JSON.stringify(url)} gets the file name ${name}`, () => {
    assert.equal(resultFileName(url), name)
  })
}

test('whatever a URL has, its file name is one short and visible part of a path', () => {
  const urls = fc.oneof(
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'binary', maxLength: 400 }).map((path) => {
      return `http://example.com/${encodeURIComponent(path.toWellFormed())}`
    }),
  )
  fc.assert(
    fc.property(urls, (url) => {
      const name = resultFileName(url)
      assert.match(name, /^[\p{L}\p{M}\p{N}_=][\p{L}\p{M}\p{N}._=-]*$/u)
      assert.equal(basename(name), name)
      assert.doesNotMatch(name, /\.\.|[.-]$/)
      assert.ok(Buffer.byteLength(name) <= 151, name)
    }),
  )
})

test('a long name is cut between characters', () => {
  const name = resultFileName(`https://example.com/${'魚'.repeat(500)}`)

  assert.equal(name, `example.com-${'魚'.repeat(46)}`)
})
