import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createListedProxy } from '../../../test/support/listed-proxy.ts'
import type { ProxyRequirements } from '../../domain/proxy/choose-proxy.ts'
import { createProxyPool } from './proxy-pool.ts'

const accountId = 'acc_1'
const anything: ProxyRequirements = { country: null, type: null }
const carried = { kind: 'carried', latencyMs: 100 } as const
const refused = { kind: 'refused' } as const

/** A pool of equal proxies, with a clock that tests move. */
function createScene(labels: readonly string[]) {
  const clock = { nowMs: 1_000_000 }
  const released: string[] = []
  const pool = createProxyPool({
    proxies: labels.map((label) => createListedProxy(label)),
    nowMs: () => clock.nowMs,
    onReleased: (label, kind) => released.push(`${label} ${kind}`),
  })
  const choose = (tried: string[] = []) => {
    const use = pool.choose({ accountId, requirements: anything, tried })
    assert.ok(use)
    return use
  }
  const statusOf = (label: string) => pool.list().find((one) => one.label === label)
  return { clock, pool, choose, statusOf, released }
}

function count(labels: string[]): number[] {
  const counts = new Map<string, number>()
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1)
  return [...counts.values()]
}

const ten = Array.from({ length: 10 }, (_, index) => `p${index}`)

test('sequential uses are spread evenly over equal proxies', () => {
  const { choose } = createScene(ten)

  const labels = Array.from({ length: 1_000 }, () => {
    const { route, release } = choose()
    release(carried)
    return route.label
  })

  assert.deepEqual(
    count(labels),
    ten.map(() => 100),
  )
})

test('concurrent uses are spread evenly over equal proxies', () => {
  const { choose } = createScene(ten)

  const labels = Array.from({ length: 1_000 }, () => choose().route.label)

  assert.deepEqual(
    count(labels),
    ten.map(() => 100),
  )
})

test('uses that end in any order are spread evenly over equal proxies', () => {
  const { choose, clock } = createScene(ten)
  const underWay: (() => void)[] = []

  const labels = Array.from({ length: 5_000 }, (_, turn) => {
    const { route, release } = choose()
    const latencyMs = 100 + ((turn * 7_919) % 900)
    underWay.push(() => release({ kind: 'carried', latencyMs }))
    clock.nowMs += 10
    if (underWay.length > 40) underWay.splice((turn * 31) % underWay.length, 1)[0]?.()
    return route.label
  })

  for (const uses of count(labels)) assert.ok(Math.abs(uses - 500) < 50, `${uses} of 5 000`)
})

test('a retry goes through another proxy until all have been tried', () => {
  const { choose } = createScene(['a', 'b', 'c'])
  const tried: string[] = []

  for (let attempt = 0; attempt < 6; attempt++) {
    const { route, release } = choose(tried)
    release(carried)
    tried.push(route.label)
  }

  assert.deepEqual(tried.slice(0, 3).sort(), ['a', 'b', 'c'])
  assert.deepEqual(tried.slice(3), tried.slice(0, 3))
})

test('a tried label that is no longer in the pool is ignored', () => {
  const { choose } = createScene(['a'])

  assert.equal(choose(['gone']).route.label, 'a')
})

test('a cooling proxy is chosen last, and only if no other one is there', () => {
  const { clock, pool, choose, statusOf } = createScene(['a', 'b'])
  const first = choose()
  const [bad, good] = first.route.label === 'a' ? ['a', 'b'] : ['b', 'a']
  first.release(refused)

  const others = Array.from({ length: 20 }, () => {
    const { route, release } = choose()
    release(carried)
    return route.label
  })
  assert.deepEqual([...new Set(others)], [good])
  assert.equal(statusOf(bad)?.cooldownMs, 5_000)

  pool.replace([createListedProxy(bad)])
  assert.equal(choose().route.label, bad)

  clock.nowMs += 5_000
  assert.equal(statusOf(bad)?.cooldownMs, 0)
})

test('a cooling proxy still fits its country and type, and no other', () => {
  const { pool, choose } = createScene(['a'])
  choose().release(refused)

  assert.equal(pool.fits(anything), true)
  assert.equal(pool.fits({ ...anything, country: 'DE' }), true)
  assert.equal(pool.fits({ ...anything, country: 'US' }), false)
  assert.equal(
    pool.choose({ accountId, requirements: { ...anything, country: 'US' }, tried: [] }),
    undefined,
  )
  assert.equal(pool.fits({ ...anything, type: 'residential' }), false)
})

test('each use of a template gets the requested country and its own session', () => {
  const user = { name: 'ada-{country}-{session}', password: 'canary' }
  const pool = createProxyPool({
    proxies: [createListedProxy('gateway', { country: null, user })],
    nowMs: () => 0,
  })

  const names = Array.from(
    { length: 100 },
    () =>
      pool.choose({ accountId, requirements: { ...anything, country: 'US' }, tried: [] })?.route
        .user?.name ?? '',
  )

  for (const name of names) assert.match(name, /^ada-us-[a-z0-9]{12}$/)
  assert.equal(new Set(names).size, 100)
  assert.equal(pool.fits(anything), false)
})

test('a use is active until it is released, and only its first outcome counts', () => {
  const { choose, statusOf, released } = createScene(['a'])
  const [first, second] = [choose(), choose()]
  assert.equal(statusOf('a')?.activeUses, 2)

  first.release(carried)
  first.release(refused)
  first[Symbol.dispose]()
  second[Symbol.dispose]()

  assert.equal(statusOf('a')?.activeUses, 0)
  assert.equal(statusOf('a')?.cooldownMs, 0)
  assert.equal(statusOf('a')?.latencyMs, 100)
  assert.deepEqual(released, ['a carried', 'a unknown'])
})

test('only a use that began after the refusal ends the cool-down of a proxy', () => {
  const { clock, choose, statusOf } = createScene(['a'])
  const early = choose()
  clock.nowMs += 1
  choose().release(refused)
  clock.nowMs += 1

  early.release(carried)
  assert.equal(statusOf('a')?.cooldownMs, 4_999)

  choose().release(carried)
  assert.equal(statusOf('a')?.cooldownMs, 0)
})

test('a proxy that stays in a replaced list keeps its health and its active uses', () => {
  const { pool, choose, statusOf } = createScene(['a'])
  const underWay = choose()
  choose().release(refused)

  pool.replace([createListedProxy('b'), createListedProxy('a', { country: 'FR' })])
  assert.equal(statusOf('a')?.cooldownMs, 5_000)
  assert.equal(statusOf('a')?.country, 'FR')
  assert.equal(statusOf('a')?.activeUses, 1)
  assert.equal(statusOf('b')?.cooldownMs, 0)

  underWay.release(carried)
  assert.equal(statusOf('a')?.activeUses, 0)
})

test('a proxy whose address or password changed under its label starts with fresh health', () => {
  const { pool, choose, statusOf } = createScene(['a'])

  for (const change of [{ port: 3129 }, { user: { name: 'ada', password: 'another' } }]) {
    choose().release(refused)
    pool.replace([createListedProxy('a', change)])

    assert.equal(statusOf('a')?.cooldownMs, 0)
    assert.equal(statusOf('a')?.score, 1)
  }
})

test('a pool without proxies is empty and fits nothing', () => {
  const { pool } = createScene(['a'])
  assert.equal(pool.isEmpty, false)

  pool.replace([])

  assert.equal(pool.isEmpty, true)
  assert.equal(pool.fits(anything), false)
  assert.equal(pool.choose({ accountId, requirements: anything, tried: [] }), undefined)
  assert.deepEqual(pool.list(), [])
})

test('the status of a proxy contains neither its address nor its credentials', () => {
  const { pool } = createScene(['a'])

  assert.doesNotMatch(JSON.stringify(pool.list()), /canary|ada|proxy\.test|3128/)
})

test('a proxy is blamed and cools down when another one succeeded for the same task', () => {
  const { clock, pool, choose, statusOf } = createScene(['good', 'bad'])
  for (const proxy of ['bad', 'gone', null])
    pool.blame(accountId, { proxy, startedAtMs: clock.nowMs })

  const chosen = Array.from({ length: 4 }, () => {
    const { route, release } = choose()
    release(carried)
    return route.label
  })

  assert.deepEqual(chosen, ['good', 'good', 'good', 'good'])
  assert.equal(statusOf('bad')?.cooldownMs, 5_000)
})

test('a proxy that is blamed by one account cools down for no other', () => {
  const { clock, pool, choose } = createScene(['a', 'b'])
  const { kept } = choose()
  const keptBy = (who: string) =>
    pool.choose({ accountId: who, requirements: anything, tried: [], kept })?.kept
  const blame = () => pool.blame('acc_2', { proxy: kept.label, startedAtMs: clock.nowMs })

  for (let task = 0; task < 100; task++) {
    clock.nowMs += 30_000
    blame()
    assert.deepEqual(keptBy(accountId), kept)
    assert.notDeepEqual(keptBy('acc_2'), kept)
  }
})

test('a proxy that carries a task of the account that blamed it cools down no longer', () => {
  const { clock, pool, choose, statusOf } = createScene(['a'])
  pool.blame(accountId, { proxy: 'a', startedAtMs: clock.nowMs })
  assert.equal(statusOf('a')?.cooldownMs, 5_000)

  clock.nowMs += 1
  choose().release(carried)

  assert.equal(statusOf('a')?.cooldownMs, 0)
})

test('a kept proxy is used again with its session, while it is listed, fits and is ready', () => {
  const user = { name: 'ada-{session}', password: 'canary' }
  const clock = { nowMs: 1_000_000 }
  const listed = ['a', 'b', 'c'].map((label) => createListedProxy(label, { user }))
  const pool = createProxyPool({ proxies: listed, nowMs: () => clock.nowMs })
  const { kept, route, release } =
    pool.choose({ accountId, requirements: anything, tried: [] }) ?? assert.fail()
  release(carried)
  const again = (required = anything) =>
    pool.choose({ accountId, requirements: required, tried: [kept.label], kept })

  for (let use = 0; use < 10; use++) assert.deepEqual(again()?.route, route)
  assert.equal(again({ ...anything, country: 'US' }), undefined)

  pool.blame(accountId, { proxy: kept.label, startedAtMs: clock.nowMs })
  assert.notEqual(again()?.kept.label, kept.label)
  clock.nowMs += 5_000
  assert.deepEqual(again()?.route, route)

  pool.replace(listed.filter(({ label }) => label !== kept.label))
  const other = again()?.kept
  assert.ok(other && other.label !== kept.label && other.session !== kept.session)
})
