import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAbsoluteForm, readAuthorityForm } from './request-target.ts'

test('the authority of a CONNECT request is normalised', () => {
  for (const [text, host, port] of [
    ['example.com:443', 'example.com', 443],
    ['EXAMPLE.com:80', 'example.com', 80],
    ['example.com.:0443', 'example.com.', 443],
    ['0x7f.1:8080', '127.0.0.1', 8080],
    ['[::FFFF:127.0.0.1]:443', '[::ffff:7f00:1]', 443],
    ['bücher.example:443', 'xn--bcher-kva.example', 443],
  ] as const) {
    const target = readAuthorityForm(text)
    assert.deepEqual([target?.host, target?.port], [host, port], text)
  }
})

test('a CONNECT target that is not exactly a host and a port is refused', () => {
  for (const text of [
    '',
    ':443',
    'example.com',
    'example.com:',
    'example.com:0',
    'example.com:65536',
    'example.com:443/',
    'example.com:443:443',
    'user@example.com:443',
    'example.com@127.0.0.1:443',
    'example.com\\@127.0.0.1:443',
    '%31%32%37.0.0.1:80',
    'a b:443',
    '::1:443',
    '[::1',
    '[::1%25eth0]:443',
    'http://example.com:443',
  ]) {
    assert.equal(readAuthorityForm(text), undefined, text)
  }
})

test('the path of an http: request is forwarded unchanged', () => {
  assert.deepEqual(readAbsoluteForm('http://Example.com/a/../b?c=|^'), {
    host: 'example.com',
    port: 80,
    authority: 'example.com',
    path: '/a/../b?c=|^',
  })
  assert.deepEqual(readAbsoluteForm('HTTP://example.com:8080'), {
    host: 'example.com',
    port: 8080,
    authority: 'example.com:8080',
    path: '/',
  })
  assert.equal(readAbsoluteForm('http://example.com:80/')?.authority, 'example.com')
})

test('a request target that is no absolute http: URL is refused', () => {
  for (const text of [
    '/',
    '*',
    'example.com:80',
    'https://example.com/',
    'ftp://example.com/',
    'http:example.com/',
    'http:///example.com/',
    'http://example.com?a',
    'http://example.com/#a',
    'http://me@example.com/',
    'http://example.com\\@127.0.0.1/',
    'http://a b/',
    ' http://example.com/',
  ]) {
    assert.equal(readAbsoluteForm(text), undefined, text)
  }
})
