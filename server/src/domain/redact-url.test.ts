import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redactUrl, searchableUrl } from './redact-url.ts'

test('redacting a URL removes its user and password', () => {
  assert.equal(redactUrl('http://user:secret@example.com/a?b#c'), 'http://example.com/a?b#c')
  assert.equal(redactUrl('http://user@example.com/'), 'http://example.com/')
})

test('redacting a malformed URL removes what may be its user and password', () => {
  const cases: [given: string, shown: string][] = [
    ['http://user:secret@exa mple.com/a', 'http://exa mple.com/a'],
    ['http://user:sec/ret@example.com/a', 'http://example.com/a'],
    ['http://user:sec@ret@example.com:99999/', 'http://example.com:99999/'],
    ['ftp://user:secret@', 'ftp://'],
    ['//user:secret@example.com/', '//example.com/'],
    ['user:secret@example.com/a', 'example.com/a'],
    ['token:@example.com', 'example.com'],
  ]
  for (const [given, shown] of cases) assert.equal(redactUrl(given), shown)
})

test('redacting changes nothing else, and no text that is not a URL', () => {
  for (const url of [
    'http://EXAMPLE.com/a b',
    'http://example.com/@me?x=a@b',
    'not a url @',
    'mailto:a@b.c',
  ]) {
    assert.equal(redactUrl(url), url)
  }
})

test('the searchable part of a URL has no user, query or fragment', () => {
  const url = 'https://someone:secret@Shop.example:8443/a/b?token=secret#secret'

  assert.equal(searchableUrl(url), 'https://shop.example:8443/a/b')
})
