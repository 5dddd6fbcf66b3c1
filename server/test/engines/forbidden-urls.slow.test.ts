/** SSRF: a page reaches no forbidden address, however the URL is spelt. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { listenOn } from '../outbound/listeners.ts'
import { assertFails } from '../support/assert-fails.ts'
import { guardedConnect, startBrowserScene } from '../support/browser-scene.ts'
import { forbiddenNames, forbiddenUrls, loopback } from '../support/forbidden-addresses.ts'
import { startTestDns } from '../support/test-dns.ts'

const scripted = {
  js_render: true,
  block_resources: false,
  optimizations: { loadOnlySameOriginRequests: false },
}
/** Fewer than the hosts that one task may ask for. */
const urlsAtOnce = 400
const host = '127.0.0.9'

interface Forbidden {
  url: string
  reaches: string | undefined
}

/** A page that asks for these in turn as an image and by a script, until it knows what became of them. */
const askingFor = (urls: string[]): string => `<!doctype html><body><script>
  const shown = (url) => new Promise((resolve) => {
    const image = new Image()
    image.onload = image.onerror = resolve
    image.src = url
  })
  const fetched = (url) => fetch(url, { mode: 'no-cors' }).catch(() => undefined)
  const urls = ${JSON.stringify(urls).replaceAll('<', '\\u003c')}
  Promise.all(urls.map((url, index) => index % 2 ? shown(url) : fetched(url)))
    .then(() => { document.body.id = 'done' })
</script>`

async function start(t: TestContext) {
  const names = forbiddenNames()
  const dns = await startTestDns(
    t,
    Object.fromEntries(names.map(({ name, reply }) => [name, reply])),
  )
  const listeners = await listenOn(t, loopback)
  const guards = {
    closed: guardedConnect([host], [dns.address]),
    open: guardedConnect(['0.0.0.0/0', '::/0'], [dns.address]),
  }
  const state: { guard: keyof typeof guards } = { guard: 'closed' }
  const scene = await startBrowserScene(t, {
    host,
    connect: (request) => guards[state.guard](request),
  })
  const every: Forbidden[] = [
    ...forbiddenUrls().map(({ url, reaches }) => ({ url: url(listeners.port), reaches })),
    ...names.map(({ name, reaches }) => ({ url: `http://${name}:${listeners.port}/`, reaches })),
  ]
  const visitAll = async (urls: string[]) => {
    for (let from = 0; from < urls.length; from += urlsAtOnce) {
      scene.site.page('/asking', askingFor(urls.slice(from, from + urlsAtOnce)))
      await scene.visit('/asking', { ...scripted, waitForSelector: '#done' }, { timeoutMs: 60_000 })
    }
  }
  return { ...scene, listeners, state, every, visitAll }
}

test('forbidden addresses and URLs', async (t) => {
  const { site, visit, listeners, state, every, visitAll } = await start(t)
  site.page('/redirect', (request, response) => {
    const to = new URL(request.url ?? '', site.origin).searchParams.get('to') ?? ''
    // As its bytes are: a header knows no other characters.
    response.writeHead(302, { location: Buffer.from(to).toString('latin1') }).end()
  })
  const redirectTo = (url: string) => `/redirect?to=${encodeURIComponent(url)}`
  // What has control characters in it cannot stand in a header.
  const redirectsTo = (targets: Forbidden[]) =>
    targets
      .map(({ url }) => url)
      .filter((url) => [...url].every((character) => character >= ' '))
      .map(redirectTo)
  const counted = async () => Object.fromEntries(await listeners.counted())
  const nobody = { '127.0.0.1': 0, '127.8.8.8': 0, '::1': 0 }

  await t.test(`a page reaches nobody by any of ${every.length} spellings`, async () => {
    await visitAll(every.flatMap(({ url }) => [url, url]))

    assert.ok(every.length > 600)
    assert.deepEqual(await counted(), nobody)
  })

  await t.test('a page reaches nobody through a redirect of its own site', async () => {
    const redirects = redirectsTo(every)

    await visitAll(redirects)

    assert.ok(redirects.length > 600)
    assert.deepEqual(await counted(), nobody)
  })

  await t.test('a visit to a forbidden address fails with URL_NOT_ALLOWED', async () => {
    const urls = every.map(({ url }) => url).filter((url) => URL.canParse(url))

    for (const url of urls.filter((_, index) => index % Math.ceil(urls.length / 25) === 0)) {
      await assertFails('URL_NOT_ALLOWED', visit(url, scripted))
    }

    assert.deepEqual(await counted(), nobody)
  })

  for (const url of [
    'file:///etc/passwd',
    'view-source:http://127.0.0.9/',
    'chrome://version',
    'chrome://crash',
    'devtools://devtools/bundled/inspector.html',
    'data:text/html,<p>text</p>',
    'javascript:document.write(1)',
    'about:blank',
    'ftp://127.0.0.9/',
    'blob:http://127.0.0.9/x',
    'no URL at all',
  ]) {
    await t.test(`a visit to ${url} fails with URL_NOT_ALLOWED`, async () => {
      await assertFails('URL_NOT_ALLOWED', visit(url, scripted))
    })
  }

  for (const url of [
    'file:///etc/passwd',
    'chrome://version',
    'data:text/html,x',
    'ftp://a/',
    'mailto:a@example.com',
    'app://open',
  ]) {
    await t.test(`a redirect to ${url} fails with URL_NOT_ALLOWED`, async () => {
      await assertFails('URL_NOT_ALLOWED', visit(redirectTo(url), scripted))
    })

    await t.test(`a page that navigates to ${url} by a script stays where it is`, async () => {
      site.page('/going', `<p>here</p><script>location.href = '${url}'</script>`)

      const { page } = await visit('/going', scripted)

      assert.equal(page.url, site.url('/going'))
      assert.match(Buffer.from(page.body).toString(), /<p>here<\/p>/)
    })
  }

  await t.test('with an open guard a page reaches them: the tests above can fail', async () => {
    state.guard = 'open'
    const here = every.filter(({ reaches }) => reaches !== undefined)

    await visitAll(here.map(({ url }) => url))
    const asked = await counted()
    await visitAll(redirectsTo(here))
    const redirected = await counted()

    for (const address of loopback) {
      assert.ok((asked[address] ?? 0) >= 20, address)
      assert.ok((redirected[address] ?? 0) >= (asked[address] ?? 0) + 20, address)
    }
  })
})
