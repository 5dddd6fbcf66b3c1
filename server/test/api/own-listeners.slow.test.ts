/**
 * SSRF protection of the service itself: its own listening ports are refused as targets, whatever
 * TRAWL_EGRESS_ALLOW allows.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { startProgram } from '../../bench/program.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { startPageSite } from '../support/page-site.ts'
import { withBrowser } from '../support/real-browser.ts'
import { callbackPath, scrapeNow, submitTask, untilDelivery } from '../support/scrape-calls.ts'
import { startTestDns } from '../support/test-dns.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { serviceEnvironment, startTestService } from '../support/test-service.ts'
import { createTestStore, type StoreKind, tierStoreKinds } from '../support/test-store.ts'

const refusal =
  'This service may not reach that URL; its operator can open private addresses with TRAWL_EGRESS_ALLOW.'
const hasty = { TRAWL_DELIVERY_SCHEDULE: '0s,50ms,100ms' }
const openLoopback = { TRAWL_EGRESS_ALLOW: '127.0.0.0/8,::1', ...hasty }
const oneTry = { retries: { useRetries: false } }
/** A path of no route: the metrics count its requests as unknown. */
const canary = '/canary'

/** Starts one more process on the store and returns its listening port. */
async function startOther(t: TestContext, environment: Record<string, string>): Promise<string> {
  const { child, url } = await startProgram(['../src/cli.ts', 'serve'], environment)
  t.after(async () => {
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
  })
  return url
}

/** Counts requests for unknown paths, which only these tests send. */
async function countArrivals(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const counted = text.matchAll(/^trawl_http_server_request_duration_seconds_count{(.*)} (\d+)$/gm)
  return [...counted]
    .filter(([, labels]) => labels?.includes('route="unknown"'))
    .reduce((sum, [, , count]) => sum + Number(count), 0)
}

async function startScene(
  t: TestContext,
  kind: StoreKind,
  { settings, otherRoles, roles }: SceneOptions,
) {
  const dns = await startTestDns(t, { 'own.example.com': { addresses: ['127.0.0.1'] } })
  const { place } = await createTestStore(t, kind)
  const environment = {
    ...serviceEnvironment(place),
    TRAWL_DNS_SERVERS: dns.address,
    ...settings,
  }
  const otherUrl = await startOther(t, { ...environment, TRAWL_ROLES: otherRoles })
  const service = await startTestService(t, { environment: { ...environment, TRAWL_ROLES: roles } })
  return { dns, service, otherUrl, account: await service.createAccount() }
}

interface SceneOptions {
  settings: Record<string, string>
  otherRoles: string
  roles: string
}

const all = 'api,worker,delivery'

for (const kind of tierStoreKinds) {
  test(`${kind}: no task, callback or webhook reaches a port of any process of the service`, async (t) => {
    const { service, otherUrl, account } = await startScene(t, kind, {
      settings: openLoopback,
      otherRoles: all,
      roles: all,
    })
    const site = await startPageSite(t)
    site.page('/here', '<p>fine</p>')
    const victim = await service.createAccount()
    await victim.call('POST /api/configuration/active/whitelisted-ips', { ips: ['127.0.0.1'] })
    const allowed = await scrapeNow(account, { url: site.url('/here') })
    assert.equal(allowed.text, '<p>fine</p>', 'loopback is open otherwise')

    for (const url of [service.url, otherUrl]) {
      const { port } = new URL(url)
      const urls = [
        '127.0.0.1',
        'localhost',
        '127.9.9.9',
        '0x7f.1',
        '[::1]',
        '[::ffff:127.0.0.1]',
        'own.example.com',
      ].map((host) => `http://${host}:${port}${canary}`)
      site.page('/redirect', (_request, response) =>
        response.writeHead(302, { location: `${url}${canary}` }).end(),
      )

      for (const target of [...urls, site.url('/redirect'), `${url}${callbackPath}`]) {
        await t.test(`a scrape of the service's own port ${target} is refused`, async () => {
          const answer = await scrapeNow(account, { url: target, configurations: oneTry })

          assertFailure(answer, 'URL_NOT_ALLOWED')
        })
      }

      await t.test(`callbacks and webhooks to the service's ${url} are refused`, async () => {
        const task = { url: site.url('/here'), callbackUrl: `${url}${canary}` }
        assertFailure(await account.call(`POST ${callbackPath}`, task), 'URL_NOT_ALLOWED')
        const webhook = { url: `${url}${canary}`, event_type: 'extract_completed' }
        assertFailure(await account.call('POST /v1/webhooks', webhook), 'URL_NOT_ALLOWED')

        const named = `http://own.example.com:${port}${canary}`
        const id = await submitTask(account, { url: site.url('/here'), callbackUrl: named })

        const { delivery } = await untilDelivery(account, id, 'failed')
        assert.equal(delivery?.lastError, refusal)
        assert.equal(delivery?.lastStatusCode, null)
      })
    }

    assert.equal(await countArrivals(service.url), 0)
    assert.equal(await countArrivals(otherUrl), 0)
    const { items } = (await victim.call(`GET ${callbackPath}`)).json()
    assert.deepEqual(items, [])
  })

  test(`${kind}: a process without the API role reads from the store where the API listens`, async (t) => {
    const { service, otherUrl, account } = await startScene(t, kind, {
      settings: openLoopback,
      otherRoles: 'worker,delivery',
      roles: 'api',
    })
    const ports = [service.url, otherUrl].map((url) => new URL(url).port)

    // The name resolves to loopback, and only the other process resolves it.
    for (const port of ports) {
      const url = `http://own.example.com:${port}${canary}`
      assertFailure(await scrapeNow(account, { url, configurations: oneTry }), 'URL_NOT_ALLOWED')
    }

    assert.equal(await countArrivals(service.url), 0)
    assert.equal(await countArrivals(otherUrl), 0)
  })

  test(`${kind}: the default loopback exception does not apply to a process without the API role`, async (t) => {
    const receiver = await startTestReceiver(t)
    const { dns, account } = await startScene(t, kind, {
      settings: hasty,
      otherRoles: 'worker,delivery',
      roles: 'api',
    })
    const { port } = new URL(receiver.url)
    dns.set('hooks.example.com', { addresses: ['127.0.0.1'] })

    const id = await submitTask(account, {
      url: 'http://nowhere.example.com/',
      callbackUrl: `http://hooks.example.com:${port}/in`,
      configurations: oneTry,
    })

    const { delivery } = await untilDelivery(account, id, 'failed')
    assert.equal(delivery?.lastError, refusal)
    assert.equal(receiver.received.length, 0)
  })
}

test('a page in the browser reaches no port of the service by any kind of request', async (t) => {
  const dns = await startTestDns(t, { 'own.example.com': { addresses: ['127.0.0.1'] } })
  const environment = {
    ...openLoopback,
    TRAWL_DNS_SERVERS: dns.address,
    ...(await withBrowser()),
  }
  const service = await startTestService(t, { environment })
  const account = await service.createAccount()
  const site = await startPageSite(t)
  const { port } = new URL(service.url)
  const place = (host: string, name: string) => `${host}:${port}${canary}?${name}`
  site.page('/probe', 'answered')
  site.page(
    '/',
    `<img src="http://${place('127.0.0.1', 'img')}">
    <iframe src="http://${place('localhost', 'iframe')}"></iframe>
    <script src="http://${place('127.9.9.9', 'script')}"></script>
    <link rel="stylesheet" href="http://${place('own.example.com', 'style')}">
    <form id="form" method="post" target="frame" action="http://${place('127.0.0.1', 'form')}"></form>
    <iframe name="frame"></iframe>
    <p id="done"></p>
    <script type="module">
      form.submit()
      const asked = [
        fetch('http://${place('127.0.0.1', 'fetch')}', { mode: 'no-cors' }),
        fetch('http://${place('own.example.com', 'named')}', { mode: 'no-cors', method: 'POST' }),
        fetch('/redirected', { mode: 'no-cors' }),
        new Promise((resolve, reject) => {
          const socket = new WebSocket('ws://${place('127.0.0.1', 'socket')}')
          socket.onopen = resolve
          socket.onerror = reject
        }),
      ]
      const settled = await Promise.allSettled([...asked, fetch('/probe')])
      done.textContent = settled.map(({ status }) => status).join(' ')
    </script>`,
  )
  site.page('/redirected', (_request, response) =>
    response.writeHead(307, { location: `http://${place('127.0.0.1', 'redirect')}` }).end(),
  )
  const rendered = {
    js_render: true,
    optimizations: { loadOnlySameOriginRequests: false },
    waitForSelector: '#done:not(:empty)',
    ...oneTry,
  }

  const page = await scrapeNow(account, { url: site.url('/'), configurations: rendered })
  const itself = await scrapeNow(account, {
    url: `http://own.example.com:${port}${canary}`,
    configurations: { js_render: true, ...oneTry },
  })

  assert.match(page.text, /id="done">(rejected ){4}fulfilled</)
  assertFailure(itself, 'URL_NOT_ALLOWED')
  assert.equal(await countArrivals(service.url), 0)
})
