/** Tasks of a service that has proxies: all of them through one that fits, none past them. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { type CountingProxy, startCountingProxy } from '../support/counting-proxy.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { hideTargets } from '../support/hidden-targets.ts'
import { startPageSite } from '../support/page-site.ts'
import { withBrowser } from '../support/real-browser.ts'
import { reachingLoopback, scrapeNow, submitTask, untilStatus } from '../support/scrape-calls.ts'
import { onBothStores, startTestService } from '../support/test-service.ts'

const target = 'shop.example.com'
const asJson = { response_format: 'json', debug: true }
const untried = { ...asJson, retries: { useRetries: false } }

/** A target that only proxies find, and a service that has these. */
async function startProxied(
  t: TestContext,
  listed: Record<string, { country?: string; type?: string }>,
  start = startTestService,
  environment: Record<string, string> = {},
) {
  const site = await startPageSite(t)
  site.page('/', '<p id=p>plain</p><script>p.textContent = "scripted"</script>')
  const hidden = await hideTargets(t, { [target]: site.port })
  const user = { name: 'trawl', password: 'canary' }
  const proxies: Record<string, CountingProxy> = {}
  for (const label of Object.keys(listed)) {
    proxies[label] = await startCountingProxy(t, { label, user, places: hidden.places })
  }
  const list = Object.entries(listed).map(([label, { country = 'DE', type = 'datacenter' }]) => {
    const port = proxies[label]?.route.port
    return { url: `http://trawl:canary@127.0.0.1:${port}`, type, country, label }
  })
  const service = await start(t, {
    environment: {
      ...reachingLoopback,
      ...environment,
      TRAWL_DNS_SERVERS: hidden.dns.address,
      TRAWL_PROXIES: JSON.stringify(list),
    },
  })
  const account = await service.createAccount()
  const url = `http://${hidden.authorityOf(target)}/`
  const scrape = async (configurations: object, body: object = {}) => {
    const answer = await scrapeNow(account, { url, configurations, ...body })
    return { answer, result: answer.json() }
  }
  const askedOf = (label: string) => proxies[label]?.asked.length
  const reached = () => [...hidden.canaries.reached]
  return { service, account, url, proxies, scrape, askedOf, reached }
}

const labelsOf = (result: { debug: { attempts: { proxy: string | null }[] } }) =>
  result.debug.attempts.map(({ proxy }) => proxy)

onBothStores((kind, start) => {
  test(`${kind}: a task goes through a proxy of the country and type it asks for`, async (t) => {
    const { scrape, askedOf, reached, account, url } = await startProxied(
      t,
      { berlin: {}, paris: { country: 'FR' }, home: { country: 'FR', type: 'residential' } },
      start,
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

test('what no proxy is there for is refused at once, and goes nowhere', async (t) => {
  const { scrape, askedOf, reached } = await startProxied(t, { berlin: {} })

  const italian = await scrape({ country_code: 'it' })
  const residential = await scrape({ proxy: { useOnlyResidential: true } })

  const { message } = assertFailure(italian.answer, 'NO_PROXY_AVAILABLE')
  assert.match(String(message), /country IT/)
  assertFailure(residential.answer, 'NO_PROXY_AVAILABLE')
  assert.deepEqual([askedOf('berlin'), reached()], [0, []])
})

test('equals carry the same', async (t) => {
  const { scrape, askedOf } = await startProxied(t, { one: {}, two: {}, three: {} })

  for (let count = 0; count < 12; count += 1) await scrape(asJson)

  assert.deepEqual([askedOf('one'), askedOf('two'), askedOf('three')], [4, 4, 4])
})

const faults: Record<string, (proxy: CountingProxy) => void> = {
  'is dead': (proxy) => proxy.kill(),
  'closes every connection': (proxy) => proxy.behave('close'),
  'resets every connection': (proxy) => proxy.behave('reset'),
  'does not know us': (proxy) => proxy.behave('unauthorized'),
  'is no proxy': (proxy) => proxy.behave('babble'),
}

for (const [fault, make] of Object.entries(faults)) {
  test(`a proxy that ${fault} is retried over another, and chosen last for a while`, async (t) => {
    const { scrape, proxies, askedOf, reached, service } = await startProxied(t, {
      good: {},
      bad: {},
    })
    make(proxies['bad'] as CountingProxy)

    const results = [await scrape(asJson), await scrape(asJson), await scrape(asJson)]
    const { proxies: told } = (await callApi(service.url, 'GET /capabilities')).json()

    for (const { answer } of results) assert.equal(answer.statusCode, 200)
    const attempts = results.flatMap(({ result }) => labelsOf(result))
    assert.deepEqual(attempts.filter((label) => label === 'bad').length, 1)
    assert.equal(askedOf('good'), 3)
    assert.equal(told.cooling_down, 1)
    assert.deepEqual(reached(), [])
  })
}

test('a proxy that never answers costs an attempt its time, and is worth less than others', async (t) => {
  const { scrape, proxies, reached, service } = await startProxied(t, { good: {}, bad: {} })
  proxies['bad']?.behave('hang')

  const soon = { timeout_ms: 1_000 }
  const results = [await scrape(asJson, soon), await scrape(asJson, soon)]
  const metrics = await (await fetch(`${service.url}/metrics`)).text()

  for (const { answer } of results) assert.equal(answer.statusCode, 200)
  const attempts = results.flatMap(({ result }) => labelsOf(result))
  assert.ok(attempts.includes('bad'))
  const scoreOf = (label: string) =>
    Number(new RegExp(`^trawl_proxy_score\\{proxy="${label}"\\} (.*)$`, 'm').exec(metrics)?.[1])
  assert.ok(scoreOf('bad') < scoreOf('good'), metrics)
  assert.deepEqual(reached(), [])
})

test('where every proxy is gone a task fails, and nobody connects directly', async (t) => {
  const { scrape, proxies, reached } = await startProxied(t, { one: {}, two: {} })
  for (const proxy of Object.values(proxies)) proxy.kill()

  const { answer } = await scrape(untried)

  assertFailure(answer, 'PROXY_FAILED')
  assert.doesNotMatch(answer.text, /canary|127\.0\.0\.1/)
  assert.deepEqual(reached(), [])
})

test('a page and all that belongs to it goes through its proxy, in the browser too', async (t) => {
  const environment = await withBrowser()
  const { scrape, proxies, reached } = await startProxied(
    t,
    { only: {} },
    startTestService,
    environment,
  )

  const { result } = await scrape({ ...asJson, js_render: true })

  assert.match(result.html, /scripted/)
  assert.deepEqual(labelsOf(result), ['only'])
  const { received = 0, sent = 0 } = proxies['only']?.bytes ?? {}
  assert.ok(Math.abs(result.bandwidth.received - received) <= received / 100)
  assert.ok(Math.abs(result.bandwidth.sent - sent) <= sent / 100)
  assert.deepEqual(reached(), [])
})
