import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { reachingLoopback, submitTask } from '../support/scrape-calls.ts'
import { onBothStores, startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

onBothStores((kind, start) => {
  test(`${kind}: /pressure shows waiting and running tasks and the limits`, async (t) => {
    const held = await startHoldingSite(t)
    const environment = { ...reachingLoopback, TRAWL_HTTP_CONCURRENCY: '1', TRAWL_QUEUE_MAX: '3' }
    const service = await start(t, { environment })
    const account = await service.createAccount()
    const pressure = async () => (await callApi(service.url, 'GET /pressure')).json()

    for (const path of ['/1', '/2', '/3']) await submitTask(account, { url: held.url(path) })
    await until(async () => (await pressure()).queue.lanes.http.waiting === 2)
    const full = await pressure()
    const metrics = await (await fetch(`${service.url}/metrics`)).text()

    assert.equal(full.accepting, false)
    assert.equal(full.code, 'QUEUE_FULL')
    assert.equal(full.queue.max, 3)
    assert.equal(full.queue.account_max, 100_000)
    assert.equal(full.queue.lanes.http.running, 1)
    assert.ok(full.queue.lanes.http.oldest_age_seconds >= 0)
    assert.deepEqual(full.store.answering, true)
    assert.ok(full.memory.resident_bytes < full.memory.resident_bytes_max)
    assert.match(metrics, /^trawl_queue_depth\{lane="http"\} 2$/m)
    assert.match(metrics, /^trawl_queue_oldest_age_seconds\{lane="http"\} \d/m)
    assert.match(metrics, /^trawl_delivery_circuit_open 0$/m)
  })
})

test('/pressure needs no credentials and names no account', async (t) => {
  const { url, createAccount } = await startTestService(t)
  const { username } = await createAccount()
  const answer = await fetch(`${url}/pressure`)
  const text = await answer.text()

  assert.equal(answer.status, 200)
  assert.equal(JSON.parse(text).accepting, true)
  assert.equal(JSON.parse(text).code, null)
  assert.ok(!text.includes(username))
})
