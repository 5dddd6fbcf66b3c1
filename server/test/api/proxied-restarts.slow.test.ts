/** Tasks that were accepted with the proxy list of another process, or of an earlier start. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startCountingProxy } from '../support/counting-proxy.ts'
import { startPageSite } from '../support/page-site.ts'
import { startProxyOnlyTargets } from '../support/proxy-only-targets.ts'
import { reachingLoopback, submitTask, untilStatus, untilTask } from '../support/scrape-calls.ts'
import { serviceEnvironment, startTestService } from '../support/test-service.ts'
import { createTestStore } from '../support/test-store.ts'

const target = 'shop.example.com'

/**
 * A target that only proxies can reach, and services on one store, each with its own proxy list.
 */
async function startScene(t: TestContext) {
  const site = await startPageSite(t)
  site.page('/', '<p>found</p>')
  const { dns, places, canaries, authorityOf } = await startProxyOnlyTargets(t, {
    [target]: site.port,
  })
  const { place } = await createTestStore(t, 'postgres')
  const proxies = {
    first: await startCountingProxy(t, { label: 'first', places }),
    second: await startCountingProxy(t, { label: 'second', places }),
  }
  const start = (labels: (keyof typeof proxies)[], roles: string) => {
    const list = labels.map((label) => {
      const url = `http://127.0.0.1:${proxies[label].route.port}`
      return { url, type: 'datacenter', country: 'DE', label }
    })
    return startTestService(t, {
      environment: {
        ...serviceEnvironment(place),
        ...reachingLoopback,
        TRAWL_DNS_SERVERS: dns.address,
        TRAWL_ROLES: roles,
        TRAWL_PROXIES: JSON.stringify(list),
      },
    })
  }
  return { start, proxies, url: `http://${authorityOf(target)}/`, reached: canaries.reached }
}

test('a worker chooses from its own proxy list for a task that another process accepted', async (t) => {
  const { start, proxies, url, reached } = await startScene(t)
  const api = await start(['first'], 'api')
  await start(['second'], 'worker')
  const account = await api.createAccount()

  const id = await submitTask(account, { url, configurations: { country_code: 'de' } })
  await untilStatus(account, id, 'completed')

  assert.deepEqual([proxies.first.asked.length, proxies.second.asked.length], [0, 1])
  assert.deepEqual([...reached], [])
})

for (const configurations of [{}, { country_code: 'de' }]) {
  const asked = JSON.stringify(configurations)
  test(`a worker without proxies fails a task accepted with one and does not connect: ${asked}`, async (t) => {
    const { start, proxies, url, reached } = await startScene(t)
    const api = await start(['first'], 'api')
    await start([], 'worker')
    const account = await api.createAccount()

    const id = await submitTask(account, { url, configurations })
    const { error } = await untilStatus(account, id, 'failed')

    assert.equal(error?.code, 'NO_PROXY_AVAILABLE')
    assert.deepEqual([...proxies.first.asked, ...reached], [])
  })
}

test('after a restart a retry still uses a proxy that the task has not tried', async (t) => {
  const { start, proxies, url, reached } = await startScene(t)
  proxies.first.behave('close')
  const api = await start(['first', 'second'], 'api')
  const account = await api.createAccount()
  const before = await start(['first'], 'worker')
  const retries = { useRetries: true, maxRetries: 10 }
  const id = await submitTask(account, { url, configurations: { retries } })
  await untilTask(account, id, ({ attempts }) => attempts > 0)
  await before[Symbol.asyncDispose]()
  proxies.first.behave('serve')

  await start(['first', 'second'], 'worker')
  await untilStatus(account, id, 'completed')

  assert.deepEqual([proxies.first.asked.length, proxies.second.asked.length], [0, 1])
  assert.deepEqual([...reached], [])
})
