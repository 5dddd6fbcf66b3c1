import assert from 'node:assert/strict'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { loadConfig } from '../../src/config.ts'
import { createMetrics } from '../../src/runtime/metrics.ts'
import {
  describeProxies,
  type Proxies,
  startProxies,
} from '../../src/tasks/proxies/start-proxies.ts'
import { reachingLoopback, scrapeNow } from '../support/scrape-calls.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const entries = [
  { url: 'http://canary:canary@canary.test:1', type: 'datacenter', country: 'DE', label: 'first' },
  { url: 'socks5://canary:canary@canary.test:2', type: 'residential', country: 'us' },
  { url: 'https://canary-{country}:canary@canary.test:3', type: 'residential' },
]
const wish = (country: string, tried: string[] = []) => ({
  accountId: 'acc_1',
  requirements: { country, type: null },
  tried,
})

/** The pool as the service creates it, with its log and metrics. */
async function createScene(t: TestContext, environment: Record<string, string>) {
  const logged: string[] = []
  const log = pino({ level: 'trace' }, { write: (line) => void logged.push(line) })
  const metrics = createMetrics({ storeClockOffsetMs: () => 0 })
  const { config } = loadConfig({}, environment, await scratchFolder(t))
  const proxies = startProxies({
    proxies: config.outbound.proxies,
    file: config.environment.proxiesFile,
    log,
    metrics,
    nowMs: () => 1_000_000,
    filePollIntervalMs: 20,
  })
  t.after(() => proxies[Symbol.dispose]())
  return { proxies, metrics, logged }
}

async function createFileScene(t: TestContext) {
  const path = join(await scratchFolder(t), 'proxies.json')
  writeFileSync(path, JSON.stringify(entries))
  const scene = await createScene(t, { TRAWL_PROXIES_FILE: path })
  const whenLogged = (pattern: RegExp) =>
    until(() => scene.logged.some((line) => pattern.test(line)))
  return { ...scene, path, whenLogged }
}

const labelsOf = (proxies: Proxies) => proxies.list().map(({ label }) => label)
const seriesOf = (text: string, name: string) =>
  text.split('\n').filter((line) => line.startsWith(`trawl_${name}{`))

test('capabilities count the proxies by country and type without naming them', async (t) => {
  const environment = { TRAWL_PROXIES: JSON.stringify(entries), TRAWL_ROLES: 'api' }
  const { url } = await startTestService(t, { environment })

  const text = await (await fetch(`${url}/capabilities`)).text()

  assert.deepEqual(JSON.parse(text).proxies, {
    total: 3,
    residential: 2,
    datacenter: 1,
    countries: ['DE', 'US'],
    any_country: true,
    cooling_down: 0,
  })
  assert.doesNotMatch(text, /canary|first/)
})

test('capabilities of a service without proxies say so', async (t) => {
  const { proxies } = await createScene(t, {})

  assert.equal(describeProxies(proxies).total, 0)
  assert.equal(proxies.isEmpty, true)
})

test('proxy metrics report successes and failures without addresses', async (t) => {
  const { proxies, metrics } = await createScene(t, { TRAWL_PROXIES: JSON.stringify(entries) })
  const chooseIn = (country: string) => proxies.choose(wish(country, ['residential-any-1bd084b8']))
  chooseIn('DE')?.release({ kind: 'refused' })
  chooseIn('US')?.release({ kind: 'carried', latencyMs: 5_000 })
  chooseIn('US')

  const text = await metrics.text()

  assert.deepEqual(seriesOf(text, 'proxies').sort(), [
    'trawl_proxies{type="datacenter",country="DE",state="cooling_down"} 1',
    'trawl_proxies{type="residential",country="US",state="ready"} 1',
    'trawl_proxies{type="residential",country="any",state="ready"} 1',
  ])
  assert.deepEqual(seriesOf(text, 'proxy_attempts_total').sort(), [
    'trawl_proxy_attempts_total{proxy="first",outcome="refused"} 1',
    'trawl_proxy_attempts_total{proxy="residential-us-1c519933",outcome="carried"} 1',
  ])
  assert.deepEqual(seriesOf(text, 'proxy_latency_seconds'), [
    'trawl_proxy_latency_seconds{proxy="residential-us-1c519933"} 5',
  ])
  assert.deepEqual(seriesOf(text, 'proxy_uses_under_way'), [
    'trawl_proxy_uses_under_way{proxy="first"} 0',
    'trawl_proxy_uses_under_way{proxy="residential-us-1c519933"} 1',
    'trawl_proxy_uses_under_way{proxy="residential-any-1bd084b8"} 0',
  ])
  assert.match(text, /^trawl_proxy_score\{proxy="residential-us-1c519933"\} 0\.5$/m)
  assert.match(text, /^trawl_proxy_cooling_down_seconds\{proxy="first"\} 5$/m)
  assert.doesNotMatch(text, /canary/)
  assert.equal(describeProxies(proxies).cooling_down, 1)
})

test('metrics name a hundred proxies of a large pool, those in cooldown among them', async (t) => {
  const many = Array.from({ length: 150 }, (_, index) => ({
    ...entries[0],
    label: `p${index}`,
    country: index === 149 ? 'FR' : 'DE',
  }))
  const { proxies, metrics } = await createScene(t, { TRAWL_PROXIES: JSON.stringify(many) })
  for (let turn = 0; turn < 149; turn++) {
    proxies.choose(wish('DE'))?.release({ kind: 'carried', latencyMs: 1 })
  }
  proxies.choose(wish('FR'))?.release({ kind: 'refused' })

  const text = await metrics.text()

  const scores = seriesOf(text, 'proxy_score')
  assert.equal(scores.length, 100)
  assert.ok(scores.some((line) => line.includes('"p149"')))
  assert.equal(seriesOf(text, 'proxy_attempts_total').length, 102)
  assert.match(text, /^trawl_proxy_attempts_total\{proxy="\(other\)",outcome="carried"\} 49$/m)
  assert.match(text, /^trawl_proxy_attempts_total\{proxy="\(other\)",outcome="refused"\} 1$/m)
})

test('a changed proxy file changes the pool and keeps what is known about each proxy', async (t) => {
  const { proxies, path, whenLogged } = await createFileScene(t)
  proxies.choose(wish('DE', ['residential-any-1bd084b8']))?.release({ kind: 'refused' })

  writeFileSync(`${path}.new`, JSON.stringify([entries[0], { ...entries[0], label: 'another' }]))
  renameSync(`${path}.new`, path)
  await whenLogged(/"proxies":2,.*was loaded/)

  assert.deepEqual(labelsOf(proxies), ['first', 'another'])
  assert.equal(describeProxies(proxies).cooling_down, 1)
})

test('a broken, empty or missing proxy file leaves the pool as it is and logs none of it', async (t) => {
  const { proxies, path, logged, whenLogged } = await createFileScene(t)
  const labels = labelsOf(proxies)

  writeFileSync(path, '[{"url": "http://canary:canary@canary.test:1"')
  await whenLogged(/must be JSON/)
  writeFileSync(path, JSON.stringify([...entries, { ...entries[0], type: 'canary', label: 'x' }]))
  await whenLogged(/entry 4: type must be residential or datacenter/)
  writeFileSync(path, '[]')
  await whenLogged(/is empty: connections would be direct/)
  rmSync(path)
  await whenLogged(/cannot be read: ENOENT/)
  assert.deepEqual(labelsOf(proxies), labels)

  writeFileSync(path, JSON.stringify(entries.slice(1)))
  await whenLogged(/"proxies":2,.*was loaded/)
  assert.deepEqual(labelsOf(proxies), ['residential-us-1c519933', 'residential-any-1bd084b8'])
  assert.doesNotMatch(logged.join(''), /canary/)
})

test('a service whose proxies are all dead says so in one line, without addresses', async (t) => {
  const logged: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void logged.push(line) })
  const dead = [1025, 1026].map((port) => ({
    url: `http://canary:canary@127.0.0.1:${port}`,
    type: 'datacenter',
  }))
  const environment = { TRAWL_PROXIES: JSON.stringify(dead), ...reachingLoopback }
  const service = await startTestService(t, { log, environment })
  const account = await service.createAccount()
  const body = { url: 'http://127.0.0.1:1025/', configurations: { retries: { maxRetries: 1 } } }

  for (let task = 0; task < 3; task += 1) {
    const { text } = await scrapeNow(account, body)
    assert.match(text, /PROXY_FAILED/)
  }

  const lines = logged.filter((line) => line.includes('proxies test'))
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /No proxy for any task works: all 2 cannot be reached/)
  assert.doesNotMatch(lines[0] ?? '', /canary|127\.0\.0\.1/)
})
