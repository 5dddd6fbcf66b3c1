import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { startTestDns } from '../support/test-dns.ts'
import { startTestSite } from '../support/test-site.ts'
import { echoed, openEngine } from './open-engine.ts'

const names = ['example.com', 'www.example.com', 'shop.example.com', 'other.net', 'evilexample.com']

/** One site behind several names. */
async function startNamedSite(t: TestContext) {
  const addresses = ['127.0.0.1']
  const dns = await startTestDns(t, Object.fromEntries(names.map((name) => [name, { addresses }])))
  const site = await startTestSite(t)
  return {
    site,
    engine: openEngine(t, { dns }),
    at: (name: string, path: string) => `http://${name}:${site.port}${path}`,
  }
}

function setting(cookies: string[], to?: string): string {
  const query = new URLSearchParams()
  for (const cookie of cookies) query.append('cookie', cookie)
  if (to !== undefined) query.set('to', to)
  return `/set-cookie?${query}`
}

test('a request without cookies has no Cookie header', async (t) => {
  const { engine, site } = await startNamedSite(t)

  assert.equal(echoed(await engine.fetch(site.url('/echo')))['cookie'], undefined)
})

test('the caller’s cookies are sent to the target, also if its host is an IP address', async (t) => {
  const { engine, site, at } = await startNamedSite(t)
  const cookies = [
    { name: 'a', value: '1' },
    { name: '__Host-b', value: 'x=y z' },
  ]

  for (const url of [site.url('/echo'), at('www.example.com', '/echo')]) {
    const fetched = await engine.fetch(url, { options: { cookies } })
    assert.equal(echoed(fetched)['cookie'], 'a=1; __Host-b=x=y z')
  }
})

test('a cookie without a domain is sent to the target’s host alone', async (t) => {
  const { engine, at } = await startNamedSite(t)
  const options = { cookies: [{ name: 'a', value: '1' }] }
  const path = (to: string) => `/redirect/302?to=${encodeURIComponent(to)}`

  for (const away of ['www.example.com', 'other.net']) {
    const fetched = await engine.fetch(at('example.com', path(at(away, '/echo'))), { options })
    assert.equal(echoed(fetched)['cookie'], undefined, away)
  }
})

test('a cookie with a domain is sent to all hosts under it and to no others', async (t) => {
  const { engine, at } = await startNamedSite(t)
  const sent = async (host: string, domain: string) => {
    const options = { cookies: [{ name: 'a', value: '1', domain }] }
    return echoed(await engine.fetch(at(host, '/echo'), { options }))['cookie']
  }

  assert.equal(await sent('www.example.com', 'example.com'), 'a=1')
  assert.equal(await sent('www.example.com', '.Example.com'), 'a=1')
  assert.equal(await sent('example.com', 'example.com'), 'a=1')
  assert.equal(await sent('example.com', 'www.example.com'), undefined)
  assert.equal(await sent('evilexample.com', 'example.com'), undefined)
  assert.equal(await sent('other.net', 'example.com'), undefined)
})

test('a cookie for another host is sent when a redirect leads there', async (t) => {
  const { engine, at } = await startNamedSite(t)
  const cookies = [{ name: 'a', value: '1', domain: 'other.net' }]
  const to = encodeURIComponent(at('other.net', '/echo'))

  const fetched = await engine.fetch(at('example.com', `/redirect/307?to=${to}`), {
    options: { cookies },
  })

  assert.equal(echoed(fetched)['cookie'], 'a=1')
})

test('cookies that a redirect sets are sent with the next request', async (t) => {
  const { engine, at } = await startNamedSite(t)
  const path = setting(['a=1; Path=/', 'b=2; Path=/elsewhere', 'c=3; Path=/; Secure'], '/echo')

  const fetched = await engine.fetch(at('example.com', path))

  assert.equal(echoed(fetched)['cookie'], 'a=1')
})

test('cookies are sent to another host only if their domain covers it', async (t) => {
  const { engine, at } = await startNamedSite(t)
  const cookies = [
    'own=1; Path=/',
    'all=2; Path=/; Domain=example.com',
    'tld=3; Path=/; Domain=com',
  ]
  const foreign = 'foreign=4; Path=/; Domain=other.net'
  const visit = async (host: string) => {
    const path = setting([...cookies, foreign], at(host, '/echo'))
    return echoed(await engine.fetch(at('www.example.com', path)))['cookie']
  }

  assert.equal(await visit('shop.example.com'), 'all=2')
  assert.equal(await visit('www.example.com'), 'own=1; all=2')
  assert.equal(await visit('other.net'), undefined)
})

test('a target can change and remove the caller’s cookies', async (t) => {
  const { engine, at } = await startNamedSite(t)
  const cookies = [
    { name: 'a', value: '1' },
    { name: 'b', value: '2' },
  ]
  const path = setting(['a=changed; Path=/', 'b=; Path=/; Max-Age=0'], '/echo')

  const fetched = await engine.fetch(at('example.com', path), { options: { cookies } })

  assert.equal(echoed(fetched)['cookie'], 'a=changed')
  assert.deepEqual(
    fetched.page.cookies.map(({ name }) => name),
    ['a'],
  )
})

test('the page lists its cookies in the same form as the browser engine', async (t) => {
  const { engine, at } = await startNamedSite(t)
  const path = setting([
    'plain=1',
    'full=x; Domain=example.com; Path=/a; Expires=Wed, 01 Jan 2048 00:00:00 GMT; HttpOnly; SameSite=lax',
    'gone=1; Max-Age=0',
    'late=1; Path=/; Max-Age=99999999999999',
    'not a cookie',
  ])

  const { page } = await engine.fetch(at('www.example.com', path))

  const common = { httpOnly: false, secure: false, sameSite: null, expires: null }
  assert.deepEqual(page.cookies.slice(0, 3), [
    { ...common, name: 'plain', value: '1', domain: 'www.example.com', path: '/' },
    {
      name: 'full',
      value: 'x',
      domain: '.example.com',
      path: '/a',
      expires: '2048-01-01T00:00:00.000Z',
      httpOnly: true,
      secure: false,
      sameSite: 'Lax',
    },
    {
      ...common,
      name: 'late',
      value: '1',
      domain: 'www.example.com',
      path: '/',
      expires: '9999-12-31T23:59:59.000Z',
    },
  ])
})

test('a thousand cookies are accepted, and no more from further responses', async (t) => {
  const { engine, at } = await startNamedSite(t)

  const { page } = await engine.fetch(at('example.com', '/cookie-flood/1000'))
  const { page: most } = await engine.fetch(at('example.com', '/cookie-flood/1050'))

  const { page: redirected } = await engine.fetch(
    at('example.com', setting(['early=1'], '/cookie-flood/1000')),
  )

  assert.deepEqual([page.statusCode, page.cookies.length], [200, 1_000])
  assert.deepEqual([redirected.statusCode, redirected.cookies.length], [200, 1_000])
  assert.deepEqual([most.statusCode, most.cookies.length], [200, 1_000])
})

test('cookies of one task are not sent by another', async (t) => {
  const { engine, at } = await startNamedSite(t)
  await engine.fetch(at('example.com', setting(['a=1; Path=/'])))

  assert.equal(echoed(await engine.fetch(at('example.com', '/echo')))['cookie'], undefined)
})
