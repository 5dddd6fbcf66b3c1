import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startEngineWork } from '../faults/browser-kills/engine-work.ts'
import { runBrowserKills } from '../faults/browser-kills/run-browser-kills.ts'
import { listBrowserHomes, listBrowserProcesses } from '../support/browser-processes.ts'
import { until } from '../support/until.ts'

test('while browsers and pages are killed each visit ends, with its page or as crashed', async (t) => {
  const seed = Date.now() % 1_000_000
  t.diagnostic(`seed ${seed}`)
  const work = await startEngineWork({ atOnce: 4 })
  t.after(() => work[Symbol.asyncDispose]())

  const report = await runBrowserKills({ work, seed, tasks: 200, kills: 20 })

  t.diagnostic(JSON.stringify(report))
  const { page = 0, BROWSER_CRASHED = 0, ...others } = report.endings
  assert.deepEqual(others, {})
  assert(page > 0 && BROWSER_CRASHED > 0)
  assert.equal(page + BROWSER_CRASHED, report.tasks)
  assert(report.slowestTaskMs < 30_000)
  assert(report.backAfterMs < 5_000, `visits work again after ${report.backAfterMs} ms`)
  assert.deepEqual(report.unhandled, [])
  await work[Symbol.asyncDispose]()
  assert.deepEqual(listBrowserHomes(), [])
  await until(() => listBrowserProcesses().length === 0, { withinMs: 5_000 })
})
