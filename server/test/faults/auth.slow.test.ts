import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestStore } from '../support/test-store.ts'
import { runAuth } from './auth/run-auth.ts'

test('a flood of wrong passwords opens nothing and locks out no valid key or password', async (t) => {
  const { place } = await createTestStore(t, 'sqlite')

  const report = await runAuth({
    dataDir: place.dataDir,
    rounds: 1,
    roundMs: 2_500,
    timingMs: 1_000,
  })

  t.diagnostic(JSON.stringify(report))
  assert.deepEqual(Object.keys(report.alone.byStatus), ['200'])
  assert.deepEqual(Object.keys(report.beside.byStatus), ['200'])
  assert.ok(Object.keys(report.guesses.byStatus).every((status) => /^(401|429)$/.test(status)))
  assert.deepEqual(new Set(report.logins), new Set([200]))
  assert.deepEqual(new Set(report.spoofed), new Set([401]))
  assert.ok(report.residentBytes.highest < 512 * 1024 ** 2)
})
