import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isWorkerBy, proxyStatesOf } from './proxy-states.ts'

test('the state of each proxy is read from the Prometheus metrics', () => {
  const states = proxyStatesOf(`# HELP trawl_proxy_score What it is worth
# TYPE trawl_proxy_score gauge
trawl_proxy_score{proxy="first"} 0.98765
trawl_proxy_score{proxy="a.b:c-2"} 1
trawl_proxy_cooling_down_seconds{proxy="first"} 4.2
trawl_proxy_cooling_down_seconds{proxy="a.b:c-2"} 0
trawl_proxy_latency_seconds{proxy="first"} 0.3214
trawl_proxies{type="datacenter",country="DE",state="ready"} 2
`)

  assert.deepEqual(Object.fromEntries(states), {
    first: { coolsDownForMs: 4_200, score: 0.99, latencyMs: 321 },
    'a.b:c-2': { coolsDownForMs: 0, score: 1, latencyMs: null },
  })
})

test('a process uses proxies itself if its capabilities list the role worker', () => {
  assert.equal(isWorkerBy('{"roles":["api","worker"]}'), true)
  assert.equal(isWorkerBy('{"roles":["api"]}'), false)
  for (const other of ['', 'null', '<html>', '{"roles":1}'])
    assert.equal(isWorkerBy(other), undefined)
})

test('a response that is no Prometheus metrics has no proxy states', () => {
  assert.equal(proxyStatesOf('<html>').size, 0)
})
