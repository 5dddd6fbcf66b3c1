import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createLog } from '../../runtime/log.ts'
import { createBrowserHealthCheck } from './local-browser.ts'

const log = createLog({ level: 'silent', isPretty: false })
// The timers of the health check are unreferenced and would let the test process exit.
const alive = setInterval(() => undefined, 1_000)
after(() => clearInterval(alive))

test('the browser is probed on the first call only, and concurrent calls share the probe', async () => {
  let probes = 0
  const check = createBrowserHealthCheck({ log, probe: async () => void probes++ })
  assert.equal(check.isHealthy, null)

  await Promise.all([check.run(), check.run()])
  await check.run()

  assert.equal(probes, 1)
  assert.equal(check.isHealthy, true)
})

test('a health check result that is no longer fresh is replaced by a new probe', async () => {
  let isBroken = false
  const probe = async () => {
    if (isBroken) throw new Error('no page')
  }
  const check = createBrowserHealthCheck({ log, probe, freshMs: 0 })
  await check.run()
  isBroken = true

  await check.run()

  assert.equal(check.isHealthy, false)
})

test('a caller waits for the health check at most waitMs, and the probe goes on without it', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const check = createBrowserHealthCheck({ log, probe: () => promise, waitMs: 10 })

  await check.run()
  const meanwhile = check.isHealthy
  resolve()
  await check.run()

  assert.equal(meanwhile, null)
  assert.equal(check.isHealthy, true)
})

test('a browser that never answers the probe is unhealthy after probeMsMax', async () => {
  const probe = () => new Promise<void>(() => undefined)
  const check = createBrowserHealthCheck({ log, probe, probeMsMax: 10 })

  await check.run()

  assert.equal(check.isHealthy, false)
})
