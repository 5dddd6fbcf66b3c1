/** `render_js: "auto"` across exits and processes: the proxy of both fetches, and a browser elsewhere. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCountingProxy } from '../support/counting-proxy.ts'
import { extracted } from '../support/extract-calls.ts'
import { startPageSite } from '../support/page-site.ts'
import { startProxyOnlyTargets } from '../support/proxy-only-targets.ts'
import { withBrowser } from '../support/real-browser.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores, serviceEnvironment, startTestService } from '../support/test-service.ts'
import { createTestStore } from '../support/test-store.ts'

const appRoot = '<body><div id="root"></div><script>root.innerText = "rendered"</script>'
const target = 'shop.example.com'

onBothStores((kind, start) => {
  test(`${kind}: the browser leaves by the exit of the HTTP response that it continues`, async (t) => {
    const site = await startPageSite(t)
    site.page('/', appRoot)
    site.page('/file', (_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end('plain'),
    )
    const { dns, places, authorityOf } = await startProxyOnlyTargets(t, { [target]: site.port })
    const proxies = await Promise.all(
      ['first', 'second', 'third'].map((label) => startCountingProxy(t, { label, places })),
    )
    const list = proxies.map(({ route: { label, port } }) => ({
      url: `http://user-{session}:secret@127.0.0.1:${port}`,
      type: 'residential',
      country: 'DE',
      label,
    }))
    const service = await start(t, {
      environment: {
        ...reachingLoopback,
        ...(await withBrowser()),
        TRAWL_DNS_SERVERS: dns.address,
        TRAWL_PROXIES: JSON.stringify(list),
      },
    })
    const account = await service.createAccount()
    /** Each user that a proxy was given, with the label of the proxy. */
    const exits = () =>
      new Set(
        proxies.flatMap(({ route, asked }) =>
          asked.filter(({ user }) => user).map(({ user }) => `${route.label} ${user}`),
        ),
      )
    const url = `http://${authorityOf(target)}`

    const page = await extracted(account, { url, render_js: 'auto', formats: ['text'] })
    assert.deepEqual([page.data.text, page.metadata.engine_reason], ['rendered', 'empty_app_root'])
    assert.equal(exits().size, 1, [...exits()].join(', '))

    const file = await extracted(account, {
      url: `${url}/file`,
      render_js: true,
      formats: ['text'],
    })
    assert.deepEqual([file.data.text, file.metadata.engine_reason], ['plain', 'file'])
    assert.equal(exits().size, 2, [...exits()].join(', '))
  })
})

test('a page is rendered by the process that has a browser', async (t) => {
  const site = await startPageSite(t)
  site.page('/', appRoot)
  const { place } = await createTestStore(t, 'postgres')
  const environment = { ...serviceEnvironment(place), ...reachingLoopback }
  const service = await startTestService(t, { environment })
  await startTestService(t, {
    environment: { ...environment, ...(await withBrowser()), TRAWL_ROLES: 'worker' },
  })
  const account = await service.createAccount()

  const { data, metadata } = await extracted(account, {
    url: site.url('/'),
    render_js: 'auto',
    formats: ['text'],
  })

  assert.deepEqual([data.text, metadata.engine], ['rendered', 'browser'])
  assert.equal(metadata.engine_reason, 'empty_app_root')
})
