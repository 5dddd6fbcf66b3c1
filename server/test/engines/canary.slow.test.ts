/** SSRF: no request of a page gets past the egress guard, whatever API it uses. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFails } from '../support/assert-fails.ts'
import { browserFlavors, guardedConnect, startBrowserScene } from '../support/browser-scene.ts'
import { type Canaries, startCanaries } from '../support/canaries.ts'
import { type PageSite, startPageSite } from '../support/page-site.ts'
import { openTestPage } from '../support/test-browser.ts'
import { startTestDns } from '../support/test-dns.ts'
import { until } from '../support/until.ts'
import { evaluated, farewells, guarded, type Place, shut, untried } from './leak-vectors.ts'

// Only the guard shall stand between the page and what it asks for.
const open = { block_resources: false, optimizations: { loadOnlySameOriginRequests: false } }
const scripted = { ...open, js_render: true }
const attempts = { ...guarded, ...shut, ...untried }
const triedWithinMs = 20_000

const { 'link with a ping': _, ...guardedWithoutPings } = guarded
/** What a page asks the way out for: a full browser heeds `--no-pings`. */
const guardedIn = { shell: guarded, chrome: guardedWithoutPings }

for (const flavor of browserFlavors) {
  test(`${flavor}: a page that tries to reach forbidden addresses`, async (t) => {
    const wanted = guardedIn[flavor]
    const canaries = await startCanaries(t, [...Object.keys(attempts), ...Object.keys(farewells)])
    const dns = await startTestDns(t, {
      'canary.example.com': { addresses: ['127.0.0.3'] },
      'rebinding.example.com': ({ before }) => ({
        addresses: before < 2 ? ['127.0.0.2'] : ['127.0.0.3'],
        ttl: 0,
      }),
    })
    const guards = {
      closed: guardedConnect(['127.0.0.2/32'], [dns.address]),
      open: guardedConnect(['127.0.0.2/31'], [dns.address]),
    }
    let guard: keyof typeof guards = 'closed'
    /** Who was asked for at the way out. */
    const asked = new Set<string>()
    const { site, visit } = await startBrowserScene(t, {
      flavor,
      host: '127.0.0.2',
      connect: (request) => {
        const canary = canaries.all.find(({ port }) => port === request.port)
        if (canary) asked.add(canary.name)
        return guards[guard](request)
      },
    })
    const other = await startPageSite(t, { host: '127.0.0.2' })
    writePages(site, other, canaries)
    const begin = (state: keyof typeof guards) => {
      guard = state
      asked.clear()
      canaries.reached.clear()
    }
    /** Shows the page until it has tried everything, or for as long as that may take. */
    const tryAll = async (isDone: () => boolean) => {
      site.page('/until-done', (_, response) => {
        const done = until(isDone, { withinMs: triedWithinMs }).catch(() => undefined)
        void done.then(() => response.end())
      })
      await visit('/everything', { ...scripted, mode: 'domLoaded', waitForSelector: '#done' })
    }

    await t.test(
      `a page reaches nobody by any of ${Object.keys(attempts).length} APIs`,
      async () => {
        begin('closed')

        await tryAll(() => isMostOf(wanted, asked, 1))

        assert.deepEqual([...canaries.reached], [])
        assertMostOf(wanted, asked)
      },
    )

    await t.test('with an open guard a page reaches them: the test above can fail', async () => {
      begin('open')

      await tryAll(() => isMostOf(wanted, canaries.reached, 1))

      assertMostOf(wanted, canaries.reached)
      assert.deepEqual(
        Object.keys(shut).filter((name) => canaries.reached.has(name)),
        [],
      )
    })

    // The arguments are ours in either flavor.
    if (flavor === 'shell') {
      await t.test('a page reaches the rest in a browser without our arguments', async (t) => {
        begin('open')
        const page = await openTestPage(t)

        // It may never be there as a whole: most of what it asks for is not answered.
        page.goto(site.url('/everything')).catch(() => undefined)

        const reached = () => isMostOf(shut, canaries.reached, 1)
        await until(reached, { withinMs: triedWithinMs }).catch(() => undefined)
        assertMostOf(shut, canaries.reached)
      })
    }

    await t.test('a navigation to a forbidden address fails with URL_NOT_ALLOWED', async () => {
      begin('closed')

      await inTurns(Object.keys(farewells), async (name) => {
        await assertFails('URL_NOT_ALLOWED', visit(pathOf(name), scripted))
      })
      await assertFails('URL_NOT_ALLOWED', visit(pathOf('meta refresh'), open))

      assert.deepEqual([...canaries.reached], [])
    })

    await t.test('a page may navigate to the address when the guard is open', async () => {
      begin('open')

      await inTurns(Object.keys(farewells), (name) => visit(pathOf(name), scripted))

      assertMostOf(farewells, canaries.reached)
    })
  })
}

test('a scenario that tries to reach forbidden addresses', async (t) => {
  const canaries = await startCanaries(t, Object.keys(evaluated))
  const { site, visit } = await startBrowserScene(t, {
    host: '127.0.0.2',
    allow: ['127.0.0.2/31'],
  })
  site.page('/plain', '<!doctype html><p>plain</p>')
  const scripts = canaries.all.map(
    (canary) => evaluated[canary.name]?.(placeOf(canary, site)) ?? '',
  )
  const actions = scripts.map((value) => ({
    action: 'evaluate',
    value,
    options: { optional: true },
  }))

  for (const js_render of [true, false]) {
    await t.test(`a scenario reaches nobody with js_render: ${js_render}`, async () => {
      canaries.reached.clear()

      const { page } = await visit('/plain', { ...open, js_render, js_scenario: { actions } })

      assert.deepEqual([...canaries.reached], [])
      for (const { ok, error } of page.scenario ?? []) {
        assert.equal(ok, false)
        assert.match(error ?? '', /(RTCPeerConnection|WebTransport) is not (defined|a constructor)/)
      }
    })
  }

  await t.test('a scenario reaches them in a browser without our arguments', async (t) => {
    canaries.reached.clear()
    const page = await openTestPage(t)
    await page.goto(site.url('/plain'))

    for (const script of scripts) page.evaluate(script).catch(() => undefined)

    const reached = () => isMostOf(evaluated, canaries.reached, 1)
    await until(reached, { withinMs: triedWithinMs }).catch(() => undefined)
    assert.deepEqual(missingOf(evaluated, canaries.reached), [])
  })
})

test('WebTransport in a worker is refused and reaches no address', async (t) => {
  const canaries = await startCanaries(t, ['worker'])
  const [canary] = canaries.all
  const { site, html } = await startBrowserScene(t, {
    host: '127.0.0.2',
    allow: ['127.0.0.2/31'],
  })
  site.page(
    '/worker',
    `<p></p><script>
      const source = "new WebTransport('https://${canary?.authority}/').ready.catch(({ name }) => postMessage(name))"
      new Worker(URL.createObjectURL(new Blob([source]))).onmessage = ({ data }) => {
        document.querySelector('p').id = data
      }
    </script>`,
  )

  const shown = await html('/worker', { ...scripted, waitForSelector: 'p[id]' })

  assert.match(shown, /<p id="WebTransportError">/)
  assert.deepEqual([...canaries.reached], [])
})

function writePages(site: PageSite, other: PageSite, { all }: Canaries): void {
  const places = new Map(all.map((canary) => [canary.name, placeOf(canary, other)]))
  const markup = Object.entries(attempts).map(([name, write]) => write(places.get(name) as Place))
  const script = "fetch('/until-done').then(() => { document.body.id = 'done' })"
  site.page('/everything', `<!doctype html><body>${markup.join('\n')}<script>${script}</script>`)
  site.page('/redirect', (request, response) => {
    response.writeHead(302, { location: queryOf(request.url).get('to') ?? '' }).end()
  })
  site.page('/service-worker.js', (_, response) => {
    const source = 'fetch(decodeURIComponent(location.search.slice(1)))'
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(source)
  })
  other.page('/frame', (request, response) => {
    const query = queryOf(request.url)
    const headers = { 'content-type': 'text/html', ...JSON.parse(query.get('headers') ?? '{}') }
    response.writeHead(200, headers).end(query.get('html'))
  })
  for (const [name, write] of Object.entries(farewells)) {
    const { status = 200, headers = {}, body = 'x' } = write(places.get(name) as Place)
    site.page(pathOf(name), (_, response) =>
      response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body),
    )
  }
}

const pathOf = (name: string): string => `/${name.replaceAll(' ', '-')}`
const queryOf = (url = ''): URLSearchParams => new URL(url, 'http://site.test').searchParams

const placeOf = (
  { authority, port }: Pick<Place, 'authority' | 'port'>,
  other: PageSite,
): Place => ({
  authority,
  port,
  http: `http://${authority}/`,
  https: `https://${authority}/`,
  redirect: `/redirect?${new URLSearchParams({ to: `http://${authority}/` })}`,
  framed: (html, headers) =>
    other.url(`/frame?${new URLSearchParams({ html, headers: JSON.stringify(headers) })}`),
})

const missingOf = (wanted: object, seen: ReadonlySet<string>): string[] =>
  Object.keys(wanted).filter((name) => !seen.has(name))

const isMostOf = (wanted: object, seen: ReadonlySet<string>, share: number): boolean =>
  missingOf(wanted, seen).length <= (1 - share) * Object.keys(wanted).length

/** Not each of them, as browsers differ and grow. */
function assertMostOf(wanted: object, seen: ReadonlySet<string>): void {
  assert.ok(isMostOf(wanted, seen, 0.95), `missing: ${missingOf(wanted, seen).join(', ')}`)
}

async function inTurns(names: readonly string[], act: (name: string) => Promise<unknown>) {
  const left = [...names]
  const next = async () => {
    for (let name = left.pop(); name !== undefined; name = left.pop()) await act(name)
  }
  await Promise.all([next(), next(), next()])
}
