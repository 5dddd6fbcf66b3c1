import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCountingProxy } from '../support/counting-proxy.ts'
import { once, submitExtraction, untilEnded } from '../support/extract-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { startTestDns } from '../support/test-dns.ts'
import { onBothStores, startTestService } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'
import { until } from '../support/until.ts'

const timeout = 5_000
const standstillMs = 5_500

onBothStores((kind, start) => {
  test(`${kind}: no target is blamed for the time in which the process stood still`, async (t) => {
    const site = await startHoldingSite(t)
    const account = await (await start(t, { environment: reachingLoopback })).createAccount()
    const getId = await submitExtraction(account, { url: site.url('/got'), timeout })
    const postId = await submitExtraction(account, {
      url: site.url('/posted'),
      timeout,
      method: 'POST',
      body: 'x=1',
    })
    await site.untilHeld('/got')
    await site.untilHeld('/posted')

    holdUpProcess(standstillMs)
    ;(await site.untilHeld('/got', 2)).answer()

    assert.equal((await untilEnded(account, getId)).status, 'completed')
    // It must not be sent twice, so nothing is left but to end it.
    assert.equal((await untilEnded(account, postId)).error?.details?.['reason'], 'TARGET_TIMEOUT')
    assert.equal(site.heldAt('/posted').length, 1)
  })

  test(`${kind}: half of a short time limit is a standstill, too`, async (t) => {
    const site = await startHoldingSite(t)
    const account = await (await start(t, { environment: reachingLoopback })).createAccount()
    const id = await submitExtraction(account, { url: site.url('/got'), ...once, timeout: 2_000 })
    await site.untilHeld('/got')

    holdUpProcess(2_500)
    ;(await site.untilHeld('/got', 2)).answer()

    assert.equal((await untilEnded(account, id)).status, 'completed')
  })
})

test('no DNS server is blamed for the time in which the process stood still', async (t) => {
  const site = await startTestSite(t)
  const dns = await startTestDns(t, {
    'target.test': ({ before }) => (before === 0 ? 'silence' : { addresses: ['127.0.0.1'] }),
  })
  const environment = { ...reachingLoopback, TRAWL_DNS_SERVERS: dns.address }
  const account = await (await startTestService(t, { environment })).createAccount()
  const url = site.url('/').replace('127.0.0.1', 'target.test')
  const id = await submitExtraction(account, { url, ...once })
  await until(() => dns.asked('target.test', 'A') > 0)

  holdUpProcess(standstillMs)

  assert.equal((await untilEnded(account, id)).status, 'completed')
})

test('no proxy is blamed for the time in which the process stood still', async (t) => {
  const site = await startTestSite(t)
  const proxy = await startCountingProxy(t, { protocol: 'socks5' })
  const listed = [
    { url: `socks5://127.0.0.1:${proxy.route.port}`, type: 'datacenter', label: 'one' },
  ]
  const environment = { ...reachingLoopback, TRAWL_PROXIES: JSON.stringify(listed) }
  const service = await startTestService(t, { environment })
  const account = await service.createAccount()
  proxy.behave('hang')
  const id = await submitExtraction(account, { url: site.url('/'), ...once })
  await until(() => proxy.connections > 0)
  proxy.behave('serve')

  holdUpProcess(standstillMs)

  assert.equal((await untilEnded(account, id)).status, 'completed')
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  assert.match(metrics, /^trawl_proxy_cooling_down_seconds{proxy="one"} 0$/m)
})

/** Blocks the event loop, as if the process was paused. */
const holdUpProcess = (ms: number) =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
