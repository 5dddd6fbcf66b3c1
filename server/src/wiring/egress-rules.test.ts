import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { loadConfig } from '../config.ts'
import { egressRules } from './egress-rules.ts'

const mayCallBackToLoopback = (environment: Record<string, string>): boolean =>
  egressRules(loadConfig({}, environment, tmpdir()).config).mayCallBackToLoopback

test('callbacks may go to loopback while only the user of this machine can call', () => {
  for (const host of ['127.0.0.1', '::1', 'localhost']) {
    assert.ok(mayCallBackToLoopback({ TRAWL_HOST: host }), host)
  }
  assert.ok(mayCallBackToLoopback({ TRAWL_ROLES: 'api' }))
})

for (const [variable, value] of [
  ['TRAWL_EGRESS_ALLOW', ''],
  ['TRAWL_EGRESS_ALLOW', '10.0.0.0/8'],
  ['TRAWL_HOST', '0.0.0.0'],
  ['TRAWL_HOST', '10.0.0.5'],
  ['TRAWL_PUBLIC_URL', 'https://trawl.example.com'],
  ['TRAWL_TRUST_PROXY', '127.0.0.1'],
  ['TRAWL_ROLES', 'worker,delivery'],
  ['TRAWL_ROLES', 'delivery'],
] as const) {
  test(`callbacks may not go to loopback with ${variable}=${value}`, () => {
    assert.ok(!mayCallBackToLoopback({ [variable]: value }))
  })
}
