/** Names that a proxy will look up, judged by what our own DNS says and when it says it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { createEgressGuard } from '../../src/outbound/guard/egress-guard.ts'
import { createResolver } from '../../src/outbound/resolver.ts'
import { createRemoteNameCheck } from '../../src/outbound/upstream-proxy/remote-names.ts'
import { type DnsBehaviour, type DnsReply, startTestDns } from '../support/test-dns.ts'
import { closed } from './outbound-client.ts'

const name = 'name.example.com'
const publicOne: DnsReply = { addresses: ['93.184.215.14', '2606:4700::1'], ttl: 0 }
const privateOne: DnsReply = { addresses: ['10.0.0.1', 'fd00::1'], ttl: 0 }
/** Longer than dialling waits for a family, shorter than judging does. */
const lateMs = 300

async function start(t: TestContext, behaviour: DnsBehaviour) {
  const dns = await startTestDns(t, { [name]: behaviour })
  return { dns, ...askingAt(dns.address) }
}

function askingAt(server: string) {
  const resolver = createResolver({ servers: [server] })
  const judgeName = createRemoteNameCheck({ guard: createEgressGuard(closed), resolver })
  const limits = { signal: AbortSignal.timeout(20_000), dnsMs: 4_000 }
  return { resolver, judge: () => judgeName(name, 80, 'target', limits) }
}

const refused = { problem: 'not_allowed' }

for (const late of ['A', 'AAAA'] as const) {
  test(`a name with a private address is refused although the ${late} answer comes later`, async (t) => {
    const { judge } = await start(t, ({ type }) =>
      type === late ? delay(lateMs, privateOne) : publicOne,
    )

    await assert.rejects(judge(), refused)
  })

  test(`a name is judged by the other family when the ${late} query is never answered`, async (t) => {
    const good = await start(t, ({ type }) => (type === late ? 'silence' : publicOne))
    const bad = await start(t, ({ type }) => (type === late ? 'silence' : privateOne))
    const givenUp = good.resolver.lookUp(name).completed.then(() => 'given up')

    const judged = Promise.all([good.judge(), assert.rejects(bad.judge(), refused)])

    assert.equal(await Promise.race([judged.then(() => 'judged'), givenUp]), 'judged')
  })
}

for (const length of [17, 300]) {
  test(`a name is refused if only the last of its ${length} addresses is private`, async (t) => {
    const publicOnes = Array.from({ length: length - 1 }, (_, index) => `93.184.215.${index % 256}`)
    const { judge } = await start(t, { addresses: [...publicOnes, '10.0.0.1'] })

    await assert.rejects(judge(), refused)
  })
}

test('a name whose answer came too late is judged by the answer that comes in time', async (t) => {
  const held = Promise.withResolvers<void>()
  const { dns, resolver, judge } = await start(t, () => held.promise.then(() => privateOne))
  await judge()
  const lookup = resolver.lookUp(name)
  held.resolve()
  await lookup.completed
  await nextTurn()

  dns.set(name, publicOne)
  await judge()
  dns.set(name, privateOne)
  await assert.rejects(judge(), refused)
})

test('a name without a DNS answer is refused once a repeated query finds a private address', async (t) => {
  const { resolver, judge } = await start(t, ({ before }) =>
    before === 0 ? 'silence' : privateOne,
  )
  await judge()

  await resolver.lookUp(name).completed

  await assert.rejects(judge(), refused)
})

test('a name that got a DNS answer in the end is waited for again', async (t) => {
  const held = Promise.withResolvers<void>()
  const { dns, resolver, judge } = await start(t, () => held.promise.then(() => publicOne))
  await judge()
  const lookup = resolver.lookUp(name)
  held.resolve()
  await lookup.completed
  await judge()

  dns.set(name, () => delay(lateMs, privateOne))

  await assert.rejects(judge(), refused)
})

test('a name without any DNS answer is waited for only once', async (t) => {
  const { judge } = await start(t, 'silence')
  const other = await start(t, 'silence')
  await judge()

  const first = other.judge().then(() => 'first')
  const again = judge().then(() => 'again')

  assert.equal(await Promise.race([first, again]), 'again')
})

/** In a thread of its own it answers while this one does not run. */
async function startDnsBeside(t: TestContext, reply: DnsReply): Promise<string> {
  const source = `
    const { parentPort, workerData } = require('node:worker_threads')
    const keep = { after() {} }
    import(workerData.module)
      .then(({ startTestDns }) => startTestDns(keep, workerData.zone))
      .then(({ address }) => parentPort.postMessage(address))`
  const module = new URL('../support/test-dns.ts', import.meta.url).href
  const zone = { [name]: reply }
  const worker = new Worker(source, { eval: true, workerData: { module, zone } })
  t.after(() => worker.terminate())
  const [address] = await once(worker, 'message')
  return address
}

test('a DNS answer that was delayed by a busy event loop counts as in time', async (t) => {
  const { judge } = askingAt(await startDnsBeside(t, privateOne))

  const judged = assert.rejects(judge(), refused)
  await nextTurn()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200)

  await judged
})
