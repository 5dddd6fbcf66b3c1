import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Protocol } from 'devtools-protocol'
import type { JarCookie } from '../../../domain/scrape/jar-cookie.ts'
import { toCookieParams, toJar } from './session-cookies.ts'

const ofBrowser = (changes: Partial<Protocol.Network.Cookie>): Protocol.Network.Cookie =>
  ({
    name: 'a',
    value: '1',
    domain: 'shop.test',
    path: '/',
    expires: -1,
    size: 2,
    httpOnly: false,
    secure: false,
    session: true,
    ...changes,
  }) as Protocol.Network.Cookie

const ofJar = (changes: Partial<JarCookie>): JarCookie => ({
  name: 'a',
  value: '1',
  domain: 'shop.test',
  isHostOnly: true,
  path: '/',
  expiresAtMs: null,
  isSecure: false,
  isHttpOnly: false,
  sameSite: null,
  ...changes,
})

test('the cookie of a host comes back as one of that host alone', () => {
  const [cookie] = toJar([ofBrowser({})])
  const [command] = toCookieParams([ofJar({ path: '/in' })])

  assert.deepEqual(cookie, ofJar({}))
  assert.equal(command?.domain, undefined)
  assert.deepEqual([command?.url, command?.path], ['http://shop.test/', '/in'])
})

test('the cookie of a domain comes back as one of the domain and its subdomains', () => {
  const [cookie] = toJar([ofBrowser({ domain: '.shop.test' })])
  const [command] = toCookieParams([ofJar({ isHostOnly: false })])

  assert.deepEqual(cookie, ofJar({ isHostOnly: false }))
  assert.deepEqual([command?.url, command?.domain], [undefined, '.shop.test'])
})

test('the cookie of an address or of a name without a dot is set for the host', () => {
  for (const domain of ['127.0.0.1', 'localhost']) {
    const [command] = toCookieParams([ofJar({ domain, isHostOnly: false })])

    assert.deepEqual([command?.url, command?.domain], [`http://${domain}/`, undefined])
  }
})

test('an IPv6 address has brackets in the browser only', () => {
  const [cookie] = toJar([ofBrowser({ domain: '[::1]' })])
  const [command] = toCookieParams([ofJar({ domain: '::1', isSecure: true })])

  assert.equal(cookie?.domain, '::1')
  assert.equal(command?.url, 'https://[::1]/')
})

test('expiry, flags and partition are kept in both directions', () => {
  const partition = { topLevelSite: 'https://top.test', hasCrossSiteAncestor: true }
  const flags = { httpOnly: true, secure: true, sameSite: 'None' } as const
  const [cookie] = toJar([
    ofBrowser({ ...flags, session: false, expires: 2_000_000.5, partitionKey: partition }),
  ])
  assert.ok(cookie)
  const [command] = toCookieParams([cookie])

  const expected = { expiresAtMs: 2_000_000_500, isSecure: true, isHttpOnly: true, partition }
  assert.deepEqual(cookie, ofJar({ ...expected, sameSite: 'None' }))
  assert.deepEqual(
    [command?.httpOnly, command?.secure, command?.sameSite, command?.expires],
    [true, true, 'None', 2_000_000.5],
  )
  assert.deepEqual(command?.partitionKey, partition)
})

test('SameSite=None without Secure is left out, as the browser would reject the cookie', () => {
  const [insecure, lax] = toCookieParams([ofJar({ sameSite: 'None' }), ofJar({ sameSite: 'Lax' })])

  assert.deepEqual([insecure?.sameSite, lax?.sameSite], [undefined, 'Lax'])
})

test('a cookie of an opaque partition is not kept', () => {
  assert.deepEqual(toJar([ofBrowser({ partitionKeyOpaque: true })]), [])
})
