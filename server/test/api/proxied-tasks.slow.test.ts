/** Tasks of a service with proxies: each goes through a matching proxy, none connects directly. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { callApi } from '../support/call-api.ts'
import { type CountingProxy, startCountingProxy } from '../support/counting-proxy.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { findFreePort } from '../support/free-port.ts'
import { startPageSite } from '../support/page-site.ts'
import { startProxyOnlyTargets } from '../support/proxy-only-targets.ts'
import { withBrowser } from '../support/real-browser.ts'
import {
  callbackPath,
  closedPortUrl,
  reachingLoopback,
  scrapeNow,
  submitTask,
  untilStatus,
} from '../support/scrape-calls.ts'
import { onBothStores, startTestService } from '../support/test-service.ts'

// The host name in the test certificate.
const target = 'secure.example.com'
const readPem = (name: string) =>
  readFileSync(new URL(`../outbound/${name}-certificate.pem`, import.meta.url), 'utf8')
const trusted = readPem('test')
const strangers = readPem('stranger')
setDefaultCACertificates([...getCACertificates(), trusted])
const asJson = { response_format: 'json', debug: true }
const untried = { ...asJson, retries: { useRetries: false } }

interface Listed {
  country?: string
  type?: string
  /** The local port that the proxy dials instead of the target's. */
  leadsTo?: number
  /** The user name in the proxy list, possibly a template; the proxy accepts all that match it. */
  userName?: string
}

/** A target that only proxies can reach, and a service with these proxies. */
async function startProxied(
  t: TestContext,
  listed: Record<string, Listed>,
  {
    start = startTestService,
    environment = {},
    targetPort,
  }: {
    start?: typeof startTestService
    environment?: Record<string, string>
    /** The port of a target other than the page below. */
    targetPort?: number
  } = {},
) {
  const site = await startPageSite(t)
  site.page('/', '<p id=p>plain</p><script>p.textContent = "scripted"</script>')
  site.page('/styled', '<link rel=stylesheet href=half.css><p>styled</p>')
  site.page('/half.css', (_, response) => void response.write('/* half of it'))
  const hidden = await startProxyOnlyTargets(t, { [target]: targetPort ?? site.port })
  const authority = hidden.authorityOf(target)
  const user = { name: 'trawl', password: 'canary' }
  const proxies: Record<string, CountingProxy> = {}
  const list: object[] = []
  for (const [label, given] of Object.entries(listed)) {
    const { country = 'DE', type = 'datacenter', leadsTo, userName } = given
    const places = leadsTo ? { [authority]: `127.0.0.1:${leadsTo}` } : hidden.places
    const proxy = await startCountingProxy(t, { label, places, ...(!userName && { user }) })
    proxies[label] = proxy
    const url = `http://${userName ?? 'trawl'}:canary@127.0.0.1:${proxy.route.port}`
    list.push({ url, type, country, label })
  }
  const service = await start(t, {
    environment: {
      ...reachingLoopback,
      ...environment,
      TRAWL_DNS_SERVERS: hidden.dns.address,
      TRAWL_PROXIES: JSON.stringify(list),
    },
  })
  const account = await service.createAccount()
  const url = `http://${authority}/`
  const scrape = async (configurations: object, body: object = {}) => {
    const answer = await scrapeNow(account, { url, configurations, ...body })
    return { answer, result: answer.json() }
  }
  const askedOf = (label: string) => proxies[label]?.asked.length
  const reached = () => [...hidden.canaries.reached]
  const coolingDown = async (): Promise<number> =>
    (await callApi(service.url, 'GET /capabilities')).json().proxies.cooling_down
  return { account, url, authority, proxies, scrape, askedOf, reached, coolingDown }
}

const labelsOf = (result: { debug: { attempts: { proxy: string | null }[] } }) =>
  result.debug.attempts.map(({ proxy }) => proxy)

onBothStores((kind, start) => {
  test(`${kind}: a task goes through a proxy of the country and type it asks for`, async (t) => {
    const { scrape, askedOf, reached, account, url } = await startProxied(
      t,
      { berlin: {}, paris: { country: 'FR' }, home: { country: 'FR', type: 'residential' } },
      { start },
    )

    const french = await scrape({ ...asJson, country_code: 'fr' })
    const residential = await scrape({ ...asJson, proxy: { useOnlyResidential: true } })
    const german = await submitTask(account, { url, configurations: { country_code: 'de' } })
    await untilStatus(account, german, 'completed')

    assert.match(JSON.stringify(labelsOf(french.result)), /^\["(paris|home)"\]$/)
    assert.deepEqual(labelsOf(residential.result), ['home'])
    assert.equal(askedOf('berlin'), 1)
    assert.deepEqual(reached(), [])
  })
})

test('a task that no proxy matches is refused at once and does not connect', async (t) => {
  const { account, url, scrape, askedOf, reached } = await startProxied(t, { berlin: {} })

  const italian = await scrape({ country_code: 'it' })
  const submitted = await account.call(`POST ${callbackPath}`, {
    url,
    callbackUrl: closedPortUrl,
    configurations: { country_code: 'it' },
  })
  const residential = await scrape({ proxy: { useOnlyResidential: true } })

  const { message } = assertFailure(italian.answer, 'NO_PROXY_AVAILABLE')
  assert.match(String(message), /country IT/)
  assertFailure(submitted, 'NO_PROXY_AVAILABLE')
  assertFailure(residential.answer, 'NO_PROXY_AVAILABLE')
  assert.deepEqual([askedOf('berlin'), reached()], [0, []])
})

test('proxies of equal quality get the same number of tasks (round robin)', async (t) => {
  const { scrape, askedOf } = await startProxied(t, { one: {}, two: {}, three: {} })

  for (let count = 0; count < 12; count += 1) await scrape(asJson)

  assert.deepEqual([askedOf('one'), askedOf('two'), askedOf('three')], [4, 4, 4])
})

test('each retry uses a proxy that the task has not tried, then the least recently tried', async (t) => {
  const { account, url, proxies } = await startProxied(t, { one: {}, two: {}, three: {} })
  for (const proxy of Object.values(proxies)) proxy.behave('refuse')
  const retries = { useRetries: true, maxRetries: 3 }
  const configurations = { ...asJson, retries }

  const result = (await scrapeNow(account, { url, configurations })).json()

  const [first, second, third, fourth] = labelsOf(result)
  assert.deepEqual([first, second, third].sort(), ['one', 'three', 'two'])
  assert.equal(fourth, first)
})

test('a proxy user template is filled with the country and a new session for each attempt', async (t) => {
  const { scrape, proxies } = await startProxied(t, {
    gateway: { userName: 'trawl-{country}-{session}' },
  })
  proxies['gateway']?.behave('refuse')
  const retries = { useRetries: true, maxRetries: 1 }

  await scrape({ ...asJson, retries, country_code: 'FR' })
  await scrape(untried)

  const users = proxies['gateway']?.asked.map(({ user }) => user ?? '') ?? []
  const countries = users.map((user) => /^trawl-(..)-[a-z0-9]{12}:canary$/.exec(user)?.[1])
  assert.deepEqual(countries, ['fr', 'fr', 'de'])
  assert.equal(new Set(users).size, 3)
})

const faults: Record<string, (proxy: CountingProxy) => void> = {
  'is dead': (proxy) => proxy.kill(),
  'closes every connection': (proxy) => proxy.behave('close'),
  'resets every connection': (proxy) => proxy.behave('reset'),
  'rejects our credentials': (proxy) => proxy.behave('unauthorized'),
  'refuses requests': (proxy) => proxy.behave('refuse'),
  'does not speak a proxy protocol': (proxy) => proxy.behave('babble'),
}

for (const [fault, make] of Object.entries(faults)) {
  test(`after a proxy that ${fault} the task is retried over another, and that one cools down`, async (t) => {
    const { scrape, proxies, askedOf, reached, coolingDown } = await startProxied(t, {
      good: {},
      bad: {},
    })
    make(proxies['bad'] as CountingProxy)

    const results = [await scrape(asJson), await scrape(asJson), await scrape(asJson)]

    for (const { answer } of results) assert.equal(answer.statusCode, 200)
    const attempts = results.flatMap(({ result }) => labelsOf(result))
    assert.deepEqual(attempts.filter((label) => label === 'bad').length, 1)
    assert.equal(askedOf('good'), 3)
    assert.equal(await coolingDown(), 1)
    assert.deepEqual(reached(), [])
  })
}

test("a proxy that never responds uses up the attempt's time and then cools down", async (t) => {
  const { scrape, proxies, reached, coolingDown } = await startProxied(t, { good: {}, bad: {} })
  proxies['bad']?.behave('hang')

  const soon = { timeout_ms: 1_000 }
  const results = [await scrape(asJson, soon), await scrape(asJson, soon), await scrape(asJson)]

  for (const { answer } of results) assert.equal(answer.statusCode, 200)
  const attempts = results.flatMap(({ result }) => labelsOf(result))
  assert.equal(attempts.filter((label) => label === 'bad').length, 1)
  assert.equal(await coolingDown(), 1)
  assert.deepEqual(reached(), [])
})

test('a slow proxy is avoided while faster ones are free', async (t) => {
  const { scrape, proxies } = await startProxied(t, { fast: {}, late: {}, swift: {} })
  proxies['late']?.behave('lag')

  const labels: (string | null)[] = []
  for (let count = 0; count < 9; count += 1) labels.push(...labelsOf((await scrape(asJson)).result))

  assert.equal(labels.length, 9)
  assert.equal(labels.filter((label) => label === 'late').length, 1)
})

/** A TLS target with this certificate. */
async function startSecure(t: TestContext, certificate: string): Promise<number> {
  const server = createServer({ key: certificate, cert: certificate }, (_, response) => {
    response.end('<p>secret</p>')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

test('a proxy that intercepts TLS is detected, retried over another and chosen last', async (t) => {
  const { scrape, authority, reached, coolingDown } = await startProxied(
    t,
    { good: {}, bad: { leadsTo: await startSecure(t, strangers) } },
    { targetPort: await startSecure(t, trusted) },
  )
  const url = `https://${authority}/`

  const results = [await scrape(asJson, { url }), await scrape(asJson, { url })]
  results.push(await scrape(asJson, { url }))

  for (const { result } of results) assert.equal(result.html, '<p>secret</p>')
  const attempts = results.flatMap(({ result }) => labelsOf(result))
  assert.equal(attempts.filter((label) => label === 'bad').length, 1)
  assert.equal(await coolingDown(), 1)
  assert.deepEqual(reached(), [])
})

test('a bad certificate seen through two proxies is blamed on the target without a third try', async (t) => {
  const { scrape, authority, proxies, coolingDown } = await startProxied(
    t,
    { one: {}, two: {}, three: {} },
    { targetPort: await startSecure(t, strangers) },
  )

  const { answer } = await scrape(asJson, { url: `https://${authority}/` })

  assertFailure(answer, 'TARGET_TLS_FAILED')
  const asked = Object.values(proxies).map((proxy) => proxy.asked.length)
  assert.deepEqual(asked.sort(), [0, 1, 1])
  assert.equal(await coolingDown(), 0)
})

test('tasks for dead targets put no proxy into cooldown', async (t) => {
  const site = await startPageSite(t)
  const { scrape, authority, coolingDown } = await startProxied(
    t,
    { one: {}, two: {} },
    { targetPort: await findFreePort() },
  )

  const plain = await scrape(asJson)
  const secure = await scrape(untried, { url: `https://${authority}/` })
  const speechless = await scrape(untried, { url: `https://127.0.0.1:${site.port}/` })

  assert.equal(plain.result.statusCode, 502)
  assertFailure(secure.answer, 'PROXY_FAILED')
  assertFailure(speechless.answer, 'TARGET_TLS_FAILED')
  assert.equal(await coolingDown(), 0)
})

test('without a working proxy a task fails, and nothing connects directly', async (t) => {
  const { scrape, proxies, reached } = await startProxied(t, { one: {}, two: {} })
  for (const proxy of Object.values(proxies)) proxy.kill()

  const { answer } = await scrape(untried)

  assertFailure(answer, 'PROXY_FAILED')
  assert.doesNotMatch(answer.text, /canary|127\.0\.0\.1/)
  assert.deepEqual(reached(), [])
})

test('a proxy failure in the browser counts as well, without a retry', async (t) => {
  const environment = await withBrowser()
  const { scrape, proxies, reached, coolingDown, url } = await startProxied(
    t,
    { dead: {}, dying: { country: 'FR' } },
    { environment },
  )
  proxies['dead']?.kill()
  const rendered = { ...untried, js_render: true }

  const dead = await scrape({ ...rendered, country_code: 'DE' })
  assertFailure(dead.answer, 'PROXY_FAILED')
  assert.equal(await coolingDown(), 1)

  const waiting = { ...rendered, block_resources: false, mode: 'load', country_code: 'FR' }
  const scraping = scrape(waiting, { url: `${url}styled` })
  await proxies['dying']?.waitForRequest(`${url}half.css`)
  proxies['dying']?.kill()
  assertFailure((await scraping).answer, 'PROXY_FAILED')
  assert.equal(await coolingDown(), 2)
  assert.deepEqual(reached(), [])
})

test('a page and its subresources go through the proxy, in the browser too', async (t) => {
  const environment = await withBrowser()
  const { scrape, proxies, reached } = await startProxied(t, { only: {} }, { environment })

  const { result } = await scrape({ ...asJson, js_render: true })

  assert.match(result.html, /scripted/)
  assert.deepEqual(labelsOf(result), ['only'])
  const { received = 0, sent = 0 } = proxies['only']?.bytes ?? {}
  assert.ok(Math.abs(result.bandwidth.received - received) <= received / 100)
  assert.ok(Math.abs(result.bandwidth.sent - sent) <= sent / 100)
  assert.deepEqual(reached(), [])
})
