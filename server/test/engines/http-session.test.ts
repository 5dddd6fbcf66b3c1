/** The cookies of a session in the HTTP engine: what goes in, what is sent, what comes out. */
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import type { JarCookie } from '../../src/domain/scrape/jar-cookie.ts'
import { startTestDns } from '../support/test-dns.ts'
import { startTestSite } from '../support/test-site.ts'
import { echoed, openEngine } from './open-engine.ts'

const names = ['example.com', 'www.example.com', 'other.net', 'shop.co.uk', 'evil.co.uk']

async function startScene(t: TestContext) {
  const addresses = ['127.0.0.1']
  const dns = await startTestDns(t, Object.fromEntries(names.map((name) => [name, { addresses }])))
  const site = await startTestSite(t)
  const engine = openEngine(t, { dns })
  const at = (name: string, path: string) => `http://${name}:${site.port}${path}`
  return {
    at,
    engine,
    /** The jar after a response of this host that sets the cookies. */
    async set(host: string, cookies: string[], jar: readonly JarCookie[] = []) {
      const query = new URLSearchParams(
        cookies.map((cookie) => ['cookie', cookie] as [string, string]),
      )
      const fetched = await engine.fetch(at(host, `/set-cookie?${query}`), { jar })
      return fetched.jar ?? assert.fail('There is no jar.')
    },
    async sent(jar: readonly JarCookie[], host: string, path = '/echo') {
      return echoed(await engine.fetch(at(host, path), { jar }))['cookie']
    },
  }
}

const cookie = (changes: Partial<JarCookie>): JarCookie => ({
  name: 'a',
  value: '1',
  domain: 'example.com',
  isHostOnly: true,
  path: '/',
  expiresAtMs: null,
  isSecure: false,
  isHttpOnly: false,
  sameSite: null,
  ...changes,
})

test('a jar is returned only if one was given, and the page then shows no cookies', async (t) => {
  const { engine, at, set } = await startScene(t)

  const without = await engine.fetch(at('example.com', '/set-cookie?cookie=a%3D1'))
  const jar = await set('example.com', ['a=1'])
  const later = await engine.fetch(at('example.com', '/echo'), { jar })

  assert.equal(without.jar, undefined)
  assert.equal(without.page.cookies.length, 1)
  assert.deepEqual(later.jar, jar)
  assert.deepEqual(later.page.cookies, [])
})

test('every attribute of a cookie is in the jar', async (t) => {
  const { set } = await startScene(t)

  const jar = await set('www.example.com', [
    'host=1',
    'wide=2; Domain=example.com; Path=/in; HttpOnly; SameSite=Lax',
    'gone=4; Max-Age=0',
    'safe=5; Secure',
  ])
  const local = await set('127.0.0.1', [
    'safe=3; Secure; SameSite=None; Expires=Fri, 31 Dec 2100 00:00:00 GMT',
  ])

  assert.deepEqual(jar, [
    cookie({ name: 'host', domain: 'www.example.com' }),
    cookie({
      name: 'wide',
      value: '2',
      isHostOnly: false,
      path: '/in',
      isHttpOnly: true,
      sameSite: 'Lax',
    }),
  ])
  // Loopback addresses count as safe without TLS; other hosts set no such cookie over plain HTTP.
  assert.deepEqual(local, [
    cookie({
      name: 'safe',
      value: '3',
      domain: '127.0.0.1',
      isSecure: true,
      sameSite: 'None',
      expiresAtMs: Date.UTC(2100, 11, 31),
    }),
  ])
})

test('cookies are sent by host, domain, path, scheme and expiry', async (t) => {
  const { sent } = await startScene(t)
  const jar = [
    cookie({ name: 'host' }),
    cookie({ name: 'wide', isHostOnly: false }),
    cookie({ name: 'deep', isHostOnly: false, path: '/echo/in' }),
    cookie({ name: 'safe', isHostOnly: false, isSecure: true }),
    cookie({ name: 'over', expiresAtMs: Date.now() - 1 }),
    cookie({ name: 'other', domain: 'other.net' }),
  ]

  assert.equal(await sent(jar, 'example.com'), 'host=1; wide=1')
  assert.equal(await sent(jar, 'www.example.com', '/echo/in/x'), 'deep=1; wide=1')
  assert.equal(await sent(jar, 'other.net'), 'other=1')
  assert.equal(await sent(jar, 'evil.co.uk'), undefined)
})

test('a response sets no cookie for another site, a subdomain or a public suffix', async (t) => {
  const { set, sent } = await startScene(t)
  const before = [cookie({ name: 'own', domain: 'shop.co.uk' })]

  const jar = await set(
    'evil.co.uk',
    [
      'x=1; Domain=shop.co.uk',
      'x=1; Domain=co.uk',
      'x=1; Domain=uk',
      'x=1; Domain=www.evil.co.uk',
      'own=2; Domain=shop.co.uk',
    ],
    before,
  )

  assert.deepEqual(jar, before)
  assert.equal(await sent(jar, 'shop.co.uk'), 'own=1')
})

test('a response replaces and deletes cookies of the jar, and redirects are responses', async (t) => {
  const { set, engine, at, sent } = await startScene(t)
  const jar = await set('example.com', ['a=1', 'b=1', 'c=1'])

  const query = new URLSearchParams([
    ['cookie', 'a=2'],
    ['cookie', 'b=; Max-Age=0'],
    ['to', at('other.net', '/echo')],
  ])
  const fetched = await engine.fetch(at('example.com', `/set-cookie?${query}`), { jar })

  assert.equal(echoed(fetched)['cookie'], undefined)
  assert.equal(await sent(fetched.jar ?? [], 'example.com'), 'a=2; c=1')
})

test('a cookie of the caller wins over the same one of the session and joins it', async (t) => {
  const { engine, at } = await startScene(t)
  const options = { cookies: [{ name: 'a', value: 'mine' }] }

  const fetched = await engine.fetch(at('example.com', '/echo'), { jar: [cookie({})], options })

  assert.equal(echoed(fetched)['cookie'], 'a=mine')
  assert.deepEqual(fetched.jar, [cookie({ value: 'mine' })])
})

test('a partitioned cookie is sent to its own site only and stays in the jar', async (t) => {
  const { set, sent } = await startScene(t)
  const host = '127.0.0.1'
  const own = { topLevelSite: `https://${host}`, hasCrossSiteAncestor: false }
  const foreign = { topLevelSite: 'https://other.net', hasCrossSiteAncestor: true }
  const safe = { domain: host, isSecure: true }
  const before = [
    cookie({ ...safe, partition: own }),
    cookie({ ...safe, name: 'framed', partition: foreign }),
  ]

  const jar = await set(host, ['new=1; Secure; Partitioned', 'bad=1; Partitioned'], before)

  assert.equal(await sent(before, host), 'a=1')
  assert.deepEqual(
    jar.map(({ name, partition }) => [name, partition]),
    [
      ['a', own],
      ['new', { ...own, topLevelSite: `http://${host}` }],
      ['bad', undefined],
      ['framed', foreign],
    ],
  )
})
