import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createListedProxy } from '../../../test/support/listed-proxy.ts'
import type { ProxyRequirements } from '../../domain/proxy/choose-proxy.ts'
import type { ProxyOutcome } from '../../domain/proxy/proxy-health.ts'
import { createLog, type Log } from '../../runtime/log.ts'
import { ProxyOutages } from './proxy-outages.ts'
import { createProxyPool } from './proxy-pool.ts'

const anything: ProxyRequirements = { country: null, type: null }
const refused: ProxyOutcome = { kind: 'refused' }
const carried: ProxyOutcome = { kind: 'carried', latencyMs: 100 }

/** A pool of proxies in these countries, with a clock that tests move. */
function createScene(countries: readonly string[]) {
  const clock = { nowMs: 1_000_000 }
  const lines: string[] = []
  const warn = ((_: object, line: string) => void lines.push(line)) as Log['warn']
  const log = { ...createLog({ level: 'silent', isPretty: false }), warn }
  const nowMs = () => clock.nowMs
  const listed = countries.map((country) => createListedProxy(country, { country }))
  const pool = createProxyPool({
    proxies: listed,
    nowMs,
    outages: new ProxyOutages({ log, nowMs }),
  })
  const use = (outcome: ProxyOutcome, required: ProxyRequirements = anything) => {
    clock.nowMs += 1_000
    pool.choose({ accountId: 'acc_1', requirements: required, tried: [] })?.release(outcome)
  }
  return { pool, lines, use, listed }
}

test('an outage of all proxies is two lines, however many tasks meet it', () => {
  const { lines, use } = createScene(['DE', 'FR', 'US'])

  for (let task = 0; task < 100; task += 1) use(refused)
  const during = [...lines]
  for (let task = 0; task < 100; task += 1) use(carried)

  assert.equal(during.length, 1)
  assert.match(
    during[0] ?? '',
    /^No proxy for any task works: all 3 cannot be reached.+PROXY_FAILED/,
  )
  assert.deepEqual(lines.slice(1), ['A proxy for any task works again, or was added, after 98 s.'])
})

test('while one proxy that fits works, there is no line', () => {
  const { lines, use } = createScene(['DE', 'FR'])

  for (let task = 0; task < 20; task += 1) {
    use(refused, { country: 'DE', type: null })
    use(carried, { country: 'FR', type: null })
    use(carried)
  }

  assert.deepEqual(
    lines.filter((line) => line.includes('any task')),
    [],
  )
})

test('an outage concerns the country and the type that a task requires', () => {
  const { lines, use } = createScene(['DE', 'FR'])

  use(refused, { country: 'DE', type: 'datacenter' })

  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /^No proxy for the type datacenter, country DE works: all 1 /)
})

test('failures that may be the fault of a target are no outage', () => {
  const { lines, use } = createScene(['DE'])

  for (let task = 0; task < 20; task += 1) use({ kind: 'failed' })

  assert.deepEqual(lines, [])
})

test('a new proxy in the list ends the outage', () => {
  const { pool, lines, use, listed } = createScene(['DE'])
  use(refused)

  pool.replace([...listed, createListedProxy('new', { country: 'DE' })])

  assert.equal(lines.length, 2)
})
