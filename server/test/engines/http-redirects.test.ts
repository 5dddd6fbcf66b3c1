import assert from 'node:assert/strict'
import test from 'node:test'
import { forbiddenNames, forbiddenUrls } from '../support/forbidden-addresses.ts'
import { startTestDns } from '../support/test-dns.ts'
import { startTestSite } from '../support/test-site.ts'
import { echoed, openEngine, textOf } from './open-engine.ts'

const codes = [301, 302, 303, 307, 308]
const redirectTo = (to: string, code = 302): string =>
  `/redirect/${code}?to=${encodeURIComponent(to)}`

for (const code of codes) {
  test(`a redirect with status ${code} is followed`, async (t) => {
    const site = await startTestSite(t)

    const fetched = await openEngine(t).fetch(site.url(redirectTo('/page/there', code)))

    assert.deepEqual([fetched.page.statusCode, fetched.page.url], [200, site.url('/page/there')])
    assert.equal(textOf(fetched), '<p>there</p>')
  })
}

for (const code of [300, 304, 305, 306]) {
  test(`a response with status ${code} is a page, whatever its Location says`, async (t) => {
    const site = await startTestSite(t)

    const { page } = await openEngine(t).fetch(site.url(redirectTo('/page/there', code)))

    assert.equal(page.statusCode, code)
  })
}

const locations = {
  '../page/up': '/page/up',
  '?only=query': '/redirect/302?only=query',
  '//127.0.0.1:PORT/page/host': '/page/host',
  '/page/größer': '/page/gr%C3%B6%C3%9Fer',
  '/page/part#fragment': '/page/part',
  ' /page/spaces ': '/page/spaces',
  'HTTP://user:secret@127.0.0.1:PORT/page/user': '/page/user',
}

for (const [location, path] of Object.entries(locations)) {
  test(`a redirect to ${location} leads to ${path}`, async (t) => {
    const site = await startTestSite(t)
    const to = location.replace('PORT', String(site.port))

    const { page } = await openEngine(t).fetch(site.url(redirectTo(to)))

    assert.equal(page.url, site.url(path))
    assert.equal(site.requests.at(-1)?.headers.authorization, undefined)
  })
}

test('a redirect without a Location, or with an empty one, is returned as the page', async (t) => {
  const site = await startTestSite(t)
  const engine = openEngine(t)

  for (const path of ['/redirect/302', '/redirect/302?to=']) {
    const { page } = await engine.fetch(site.url(path))
    assert.deepEqual([page.statusCode, page.url], [302, site.url(path)])
  }
})

test('ten redirects are followed, and the eleventh fails with TOO_MANY_REDIRECTS', async (t) => {
  const site = await startTestSite(t)
  const engine = openEngine(t)

  const { page } = await engine.fetch(site.url('/chain/10'))
  assert.equal(page.bandwidth.requests, 11)

  await assert.rejects(engine.fetch(site.url('/chain/11')), { code: 'TOO_MANY_REDIRECTS' })
  await assert.rejects(engine.fetch(site.url('/loop')), { code: 'TOO_MANY_REDIRECTS' })
})

test('a redirect to what is not a URL fails with BAD_RESPONSE', async (t) => {
  const site = await startTestSite(t)

  await assert.rejects(openEngine(t).fetch(site.url(redirectTo('http://[broken'))), {
    code: 'BAD_RESPONSE',
  })
})

for (const url of [
  'file:///etc/passwd',
  'ftp://example.com/',
  'javascript:1',
  'data:,a',
  'about:blank',
]) {
  test(`a redirect to ${url} is not allowed`, async (t) => {
    const site = await startTestSite(t)

    await assert.rejects(openEngine(t).fetch(site.url(redirectTo(url))), {
      code: 'URL_NOT_ALLOWED',
    })
  })
}

test('a redirect reaches no spelling of a forbidden address (SSRF)', async (t) => {
  const site = await startTestSite(t, { host: '127.0.0.9' })
  const canary = await startTestSite(t)
  const engine = openEngine(t, { allow: '127.0.0.9' })
  // What has control characters in it cannot stand in a header.
  const urls = forbiddenUrls()
    .map(({ url }) => url(canary.port))
    .filter((url) => [...url].every((character) => character >= ' '))

  for (const [index, url] of urls.entries()) {
    const path = redirectTo(url, codes[index % codes.length])
    const outcome = await engine.fetch(site.url(path)).then(
      // Some forms are relative where a base is known; they lead back to where they came from.
      ({ page }) => new URL(page.url).origin,
      (error) => error.code,
    )
    const expected = URL.canParse(url, site.origin)
      ? ['URL_NOT_ALLOWED', site.origin]
      : ['BAD_RESPONSE']
    assert.ok(expected.includes(outcome), `${url}: ${outcome}`)
  }

  assert.ok(urls.length > 500)
  assert.equal(canary.requests.length, 0)
})

test('a redirect reaches no name that resolves to a forbidden address (SSRF)', async (t) => {
  const names = forbiddenNames()
  const dns = await startTestDns(
    t,
    Object.fromEntries(names.map(({ name, reply }) => [name, reply])),
  )
  const site = await startTestSite(t, { host: '127.0.0.9' })
  const canary = await startTestSite(t)
  const engine = openEngine(t, { allow: '127.0.0.9', dns })

  for (const { name } of names) {
    const path = redirectTo(`http://${name}:${canary.port}/`)
    await assert.rejects(engine.fetch(site.url(path)), { code: 'URL_NOT_ALLOWED' }, name)
  }

  assert.equal(canary.requests.length, 0)
})

test('credentials and forwarded headers are sent to the first origin only', async (t) => {
  const dns = await startTestDns(t, {
    'one.example.com': { addresses: ['127.0.0.1'] },
    'two.example.com': { addresses: ['127.0.0.1'] },
  })
  const site = await startTestSite(t)
  const engine = openEngine(t, { dns })
  const one = `http://one.example.com:${site.port}`
  const two = `http://two.example.com:${site.port}`
  const order = {
    options: { keep_headers: true },
    forwardedHeaders: { 'x-mine': 'secret', 'user-agent': 'mine' },
  }
  const fetchEcho = async (...paths: string[]) => {
    const path = paths.reduceRight((to, from) => from + redirectTo(to))
    return echoed(await engine.fetch(path.replace('//', '//user:pass@'), order))
  }

  const same = await fetchEcho(one, `${one}/echo`)
  assert.deepEqual([same['x-mine'], same['user-agent']], ['secret', 'mine'])
  assert.match(same['authorization'] ?? '', /^Basic /)

  for (const away of [
    await fetchEcho(one, `${two}/echo`),
    await fetchEcho(one, two, `${one}/echo`),
  ]) {
    assert.equal(away['x-mine'], undefined)
    assert.equal(away['authorization'], undefined)
    assert.match(away['user-agent'] ?? '', /Chrome/)
  }
})
