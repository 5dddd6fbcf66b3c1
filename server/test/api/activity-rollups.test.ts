import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createAccount, getAccount } from '../../src/accounts/accounts.ts'
import type { Task, TaskProgress } from '../../src/domain/task/task.ts'
import { createSealer } from '../../src/runtime/crypto/seal.ts'
import { ActivityRollups, otherHosts } from '../../src/tasks/usage/activity-rollups.ts'
import { createCharts } from '../../src/tasks/usage/charts.ts'
import { openTestStore, type StoreKind, silentLog, tierStoreKinds } from '../support/test-store.ts'

/** A store with an account and what a task of it that ended looks like. */
async function openAccount(t: TestContext, kind: StoreKind) {
  const db = await openTestStore(t, kind)
  const sealer = createSealer({ newest: Buffer.alloc(32, 1) })
  await createAccount({ db, sealer }, { username: 'ada' })
  const { id: accountId } = await getAccount(db, 'ada')
  const endedTask = (url: string): Task & TaskProgress =>
    ({
      accountId,
      request: { url, purpose: { kind: 'callback' } },
      state: 'completed',
      attempts: 1,
      attemptLog: [],
      error: null,
      createdAtMs: db.nowMs(),
      startedAtMs: db.nowMs(),
      completedAtMs: db.nowMs(),
    }) as unknown as Task & TaskProgress
  const utcDay = Math.floor(db.nowMs() / 86_400_000)
  // The test may run over midnight.
  const period = { firstDay: utcDay, lastDay: utcDay + 1 }
  const hosts = () => createCharts(db).hosts(accountId, period)
  const readSeries = () => {
    const utcMinute = Math.floor(db.nowMs() / 60_000)
    const minutes = { firstMinute: utcMinute - 5, lastMinute: utcMinute, stepMinutes: 1 }
    return createCharts(db).series(accountId, minutes)
  }
  return { db, accountId, endedTask, hosts, readSeries }
}

for (const kind of tierStoreKinds) {
  test(`${kind}: what several processes counted is added up, and closing writes the rest`, async (t) => {
    const { db, endedTask, hosts } = await openAccount(t, kind)

    for (const count of [3, 4]) {
      await using rollups = new ActivityRollups(db, silentLog)
      for (let made = 0; made < count; made++) rollups.count(endedTask('http://cod.test/a'))
    }

    assert.deepEqual(
      (await hosts()).map(({ host, activity }) => [host, activity.completed]),
      [['cod.test', 7]],
    )
  })

  test(`${kind}: the queue at its longest is kept for each minute, whatever process looked`, async (t) => {
    const { db, accountId, readSeries } = await openAccount(t, kind)
    t.mock.timers.enable({ apis: ['setInterval'] })

    for (const samples of [
      [
        { waiting: 4, oldestAgeMs: 100 },
        { waiting: 9, oldestAgeMs: 50 },
        { waiting: 2, oldestAgeMs: 700 },
      ],
      [{ waiting: 3, oldestAgeMs: 20 }],
    ]) {
      let seen = 0
      const next = () => new Map([[accountId, samples[seen++] ?? { waiting: 0, oldestAgeMs: 0 }]])
      await using _rollups = new ActivityRollups(db, silentLog, next)
      for (const _sample of samples) t.mock.timers.tick(2_000)
    }

    // The test may run over the end of a minute.
    const peaks = (await readSeries()).flatMap(({ activity }) => activity.queue ?? [])
    assert.deepEqual(
      [
        Math.max(...peaks.map(({ waiting }) => waiting)),
        Math.max(...peaks.map(({ oldestAgeMs }) => oldestAgeMs)),
      ],
      [9, 700],
    )
  })

  test(`${kind}: beyond 1000 hosts of a day the others are counted together`, async (t) => {
    const { db, endedTask, hosts } = await openAccount(t, kind)

    {
      await using rollups = new ActivityRollups(db, silentLog)
      for (let host = 0; host < 1_010; host++) rollups.count(endedTask(`http://h${host}.test/`))
      rollups.count(endedTask('http://h5.test/'))
    }

    const listed = await hosts()
    assert.equal(listed.length, 1_001)
    const countOf = (name: string) => listed.find(({ host }) => host === name)?.activity.completed
    assert.deepEqual(
      [countOf(otherHosts), countOf('h5.test'), countOf('h1009.test')],
      [10, 2, undefined],
    )
  })
}
