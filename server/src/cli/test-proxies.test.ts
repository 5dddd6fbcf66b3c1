import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as pause } from 'node:timers/promises'
import { asTable, Command, CommanderError } from '../../../cli/src/index.ts'
import { createListedProxy } from '../../test/support/listed-proxy.ts'
import type { ListedProxy, ProxyRoute } from '../domain/proxy/proxy.ts'
import { addTestProxiesCommand, type ProbeProxy } from './test-proxies.ts'

const good = createListedProxy('good')
const bad = createListedProxy('bad')
const gateway = createListedProxy('gateway', {
  country: null,
  user: { name: 'ada-{country}', password: 'canary' },
})

const probeResults: Record<string, Awaited<ReturnType<ProbeProxy>>> = {
  good: { ok: true, latencyMs: 12.4 },
  bad: { ok: false, failure: 'It refused\u001b[31m the credentials.' },
  gateway: { ok: true, latencyMs: 100 },
}

/** Runs `trawl proxies test …` with these proxies. */
async function run(t: TestContext, proxies: ListedProxy[], ...words: string[]) {
  t.after(() => {
    process.exitCode = undefined
  })
  const printed: string[] = []
  const probed: ProxyRoute[] = []
  const atOnce = { now: 0, most: 0 }
  let loads = 0
  const probe: ProbeProxy = async (route) => {
    probed.push(route)
    atOnce.most = Math.max(atOnce.most, ++atOnce.now)
    await pause()
    atOnce.now -= 1
    return probeResults[route.label] ?? assert.fail(`${route.label} was probed.`)
  }
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} })
  addTestProxiesCommand(program, {
    load: async () => {
      loads += 1
      return { proxies, probe }
    },
    print: async (rows, { json }) => {
      printed.push(json ? JSON.stringify(rows, null, 2) : asTable(rows))
    },
  })
  await program.parseAsync(['test', ...words], { from: 'user' })
  const { exitCode } = process
  process.exitCode = undefined
  return { text: printed.join('\n'), probed, exitCode, atOnceMost: atOnce.most, loads }
}

test('trawl proxies test probes every proxy and prints them in the order of the list', async (t) => {
  const { text, exitCode } = await run(t, [good, bad], '--json')

  assert.deepEqual(JSON.parse(text), [
    { label: 'good', ok: true, latency_ms: 12, failure: null },
    {
      label: 'bad',
      ok: false,
      latency_ms: null,
      failure: 'It refused\\u{1b}[31m the credentials.',
    },
  ])
  assert.equal(exitCode, 1)
  assert.doesNotMatch(text, /canary/)
})

test('trawl proxies test without --json prints a table', async (t) => {
  const { text, exitCode } = await run(t, [good])

  assert.deepEqual(text.split('\n'), [
    'label  ok    latency_ms  failure',
    'good   true  12          -',
  ])
  assert.equal(exitCode, undefined)
})

test('trawl proxies test with labels probes only those, and an unknown label is an error', async (t) => {
  const { probed } = await run(t, [good, bad], 'good')
  assert.deepEqual(
    probed.map(({ label }) => label),
    ['good'],
  )

  await assert.rejects(run(t, [good], 'good', 'nope'), {
    code: 'NOT_FOUND',
    message: 'No proxy is called nope.',
  })
})

test('a proxy with a country placeholder is probed with --country, and fails without it', async (t) => {
  const { probed } = await run(t, [gateway], '--country', 'us')
  assert.equal(probed[0]?.user?.name, 'ada-us')

  const without = await run(t, [gateway], '--json')
  assert.equal(without.probed.length, 0)
  assert.equal(JSON.parse(without.text)[0].failure, 'It needs a country: --country.')
  assert.equal(without.exitCode, 1)

  await assert.rejects(run(t, [gateway], '--country', 'usa'), CommanderError)
})

test('trawl proxies test without configured proxies prints (none)', async (t) => {
  const { text, exitCode } = await run(t, [])

  assert.equal(text, '(none)')
  assert.equal(exitCode, undefined)
})

test('trawl proxies test probes 16 proxies at a time and reads the settings once', async (t) => {
  const many = Array.from({ length: 100 }, (_, index) => ({ ...good, port: index + 1 }))
  const { probed, text, atOnceMost, loads } = await run(t, many, '--json')

  assert.equal(atOnceMost, 16)
  assert.equal(loads, 1)
  assert.equal(probed.length, 100)
  assert.equal(JSON.parse(text).length, 100)
})
