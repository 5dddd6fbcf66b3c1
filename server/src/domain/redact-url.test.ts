import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redactUrl, searchableUrl } from './redact-url.ts'

test('a user and password are left out', () => {
  assert.equal(redactUrl('http://user:secret@example.com/a?b#c'), 'http://example.com/a?b#c')
  assert.equal(redactUrl('http://user@example.com/'), 'http://example.com/')
})

test('everything else is shown as it was given', () => {
  for (const url of ['http://EXAMPLE.com/a b', 'http://example.com/@me?x=a@b', 'not a url @']) {
    assert.equal(redactUrl(url), url)
  }
})

test('what lists are searched by has no user, query or fragment', () => {
  const url = 'https://someone:secret@Shop.example:8443/a/b?token=secret#secret'

  assert.equal(searchableUrl(url), 'https://shop.example:8443/a/b')
})
