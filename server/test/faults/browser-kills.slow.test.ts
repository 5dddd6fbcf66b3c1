import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  listBrowserHomes,
  listBrowserProcesses,
  listZombies,
} from '../support/browser-processes.ts'
import { until } from '../support/until.ts'
import { crashedTasksMax, runBrowserKills } from './browser-kills/run-browser-kills.ts'
import { startServiceWork } from './browser-kills/service-work.ts'

test('while browsers and pages are killed each task ends once, with its page or as crashed', async (t) => {
  const seed = Date.now() % 1_000_000
  t.diagnostic(`seed ${seed}`)
  const work = await startServiceWork({ atOnce: 4 })
  t.after(() => work[Symbol.asyncDispose]())

  const report = await runBrowserKills({ work, seed, tasks: 80, kills: 8 })

  t.diagnostic(JSON.stringify(report))
  const { page = 0, BROWSER_CRASHED = 0, ...others } = report.endings
  assert.deepEqual(others, {})
  assert.equal(page + BROWSER_CRASHED, report.tasks)
  assert(BROWSER_CRASHED <= crashedTasksMax(report), 'only what was killed each time has crashed')
  assert(page > report.tasks * 0.9, 'a task is tried again')
  assert.equal(report.repeats, 0)
  assert(report.backAfterMs < 5_000, `tasks work again after ${report.backAfterMs} ms`)
  await until(() => listZombies(work.owner).length === 0)
  await work[Symbol.asyncDispose]()
  assert.deepEqual(listBrowserHomes(work.owner), [])
  assert.deepEqual(listBrowserProcesses(work.owner), [])
})
