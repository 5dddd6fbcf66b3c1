import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestHeaders, responseHeaders } from './forwarded-message-headers.ts'

test('a forwarded request has the host of its request line and no hop-by-hop headers', () => {
  const raw = ['host', 'EXAMPLE.com:80', 'Proxy-Connection', 'keep-alive', 'Accept', '*/*']

  assert.deepEqual(requestHeaders(raw, 'example.com'), {
    list: ['Host', 'example.com', 'Connection', 'keep-alive', 'Accept', '*/*'],
    hasBody: false,
  })
})

test('a request without a Host header gets one, and one with another host is refused', () => {
  assert.deepEqual(requestHeaders([], 'example.com')?.list.slice(0, 2), ['Host', 'example.com'])
  for (const host of ['example.org', '', 'example.com:81', 'a b', 'example.com, example.org']) {
    assert.equal(requestHeaders(['Host', host], 'example.com'), undefined, host)
  }
  assert.equal(requestHeaders(['Host', 'a.com', 'Host', 'b.com'], 'a.com'), undefined)
})

test('a request has a body if it has a length above 0 or is chunked', () => {
  const hasBody = (...raw: string[]) => requestHeaders(raw, 'example.com')?.hasBody

  assert.equal(hasBody('Content-Length', '5'), true)
  assert.equal(hasBody('Transfer-Encoding', 'chunked'), true)
  assert.equal(hasBody('Content-Length', '0'), false)
  assert.equal(hasBody(), false)
})

test('a Connection header cannot remove Content-Length', () => {
  const raw = ['Connection', 'Content-Length, Host, Cookie', 'Content-Length', '5', 'Cookie', 'a=1']

  assert.deepEqual(requestHeaders(raw, 'a.com')?.list.slice(4), ['Content-Length', '5'])
  assert.deepEqual(responseHeaders(raw, 1000), ['Content-Length', '5'])
})

test('response headers keep their order, spelling and repetition, and are refused beyond a size', () => {
  const raw = ['Set-Cookie', 'a', 'keep-alive', 'x', 'set-cookie', 'b', 'Proxy-Status', 'x']

  assert.deepEqual(responseHeaders(raw, 1000), ['Set-Cookie', 'a', 'set-cookie', 'b'])
  assert.equal(responseHeaders(raw, 50), undefined)
})
