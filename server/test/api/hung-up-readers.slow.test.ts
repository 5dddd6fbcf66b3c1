import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchContentProcesses } from '../support/content-processes.ts'
import { reachingLoopback, submitTask, untilStatus } from '../support/scrape-calls.ts'
import { startTestService, type TestAccount } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'
import { until } from '../support/until.ts'

test('readers who hang up keep nobody from reading, whatever they were waiting for', async (t) => {
  const site = await startTestSite(t)
  const service = await startTestService(t, { environment: reachingLoopback })
  const previewOf = async (account: TestAccount) => {
    const id = await submitTask(account, { url: site.url('/page/cod') })
    await untilStatus(account, id, 'completed')
    return `/v1/tasks/${id}/preview?format=markdown`
  }
  const [account, other] = [await service.createAccount(), await service.createAccount()]
  const [preview, otherPreview] = [await previewOf(account), await previewOf(other)]
  const processes = watchContentProcesses(t)
  assert.equal((await account.call(`GET ${preview}`)).statusCode, 200)
  const [first] = processes
  assert.ok(first)
  first.stop()
  const hangingUp = new AbortController()
  const abandoned = Array.from({ length: 20 }, () =>
    fetch(service.url + preview, {
      headers: { 'x-api-key': account.apiKey },
      signal: hangingUp.signal,
    }).then(
      () => 'answered',
      () => 'hung up',
    ),
  )
  await until(() => first.pagesCount >= 2)

  hangingUp.abort()
  const read = await Promise.all([
    account.call(`GET ${preview}`),
    other.call(`GET ${otherPreview}`),
  ])

  assert.deepEqual([...new Set(await Promise.all(abandoned))], ['hung up'])
  assert.deepEqual(
    read.map(({ statusCode }) => statusCode),
    [200, 200],
  )
  // None of the others was given to a process: they had left the queue.
  const pagesCounts = processes.map(({ pagesCount }) => pagesCount)
  assert.equal(
    pagesCounts.reduce((sum, count) => sum + count),
    4,
  )
})
