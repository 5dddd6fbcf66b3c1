import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Depths } from '../../src/queue/depths.ts'
import { sortableIdAt } from '../../src/runtime/sortable-id.ts'
import { countEntries } from '../../src/storage/queries/queue.ts'
import { sql } from '../../src/storage/statement.ts'
import { silentLog, storeKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'
import { createQueueStore, insertReady } from './queue-process.ts'

for (const kind of storeKinds) {
  test(`${kind}: every waiting entry counts for its lane and account, whatever its flow`, async (t) => {
    const { db } = await createQueueStore(t, kind)
    await insertReady(db, ['ready', 'scheduled'])
    await insertReady(db, ['limited'], { concurrencyKey: 'account a' })
    await insertReady(db, ['of a job'], { jobId: 'job-1' })
    await insertReady(db, ['of another'], { accountId: 'account-b', concurrencyKey: 'account b' })
    await db.run(
      sql`update queue_entries set state = 'scheduled', due_at_ms = 1 where id = 'scheduled'`,
    )

    const counts = await db.run(countEntries())

    const totals = Object.fromEntries(
      Map.groupBy(counts, ({ lane, accountId }) => `${lane} ${accountId}`)
        .entries()
        .map(([key, rows]) => [key, rows.reduce((sum, { count }) => sum + count, 0)]),
    )
    assert.deepEqual(totals, { 'http account-a': 4, 'http account-b': 1 })
  })
}

test('the waiting tasks of each account are known with the age of the oldest', async (t) => {
  const { db } = await createQueueStore(t, 'sqlite')
  const hourAgo = sortableIdAt(Math.floor(db.nowMs()) - 3_600_000)
  await insertReady(db, [hourAgo])
  await insertReady(db, ['of a job'], { jobId: 'job-1' })
  await insertReady(db, ['of another'], { accountId: 'account-b' })
  using depths = new Depths({ db, log: silentLog })

  await until(() => depths.byAccount().size > 0)

  const [a, b] = ['account-a', 'account-b'].map((id) => depths.byAccount().get(id))
  assert.deepEqual([a?.waiting, b?.waiting], [2, 1])
  assert.ok((a?.oldestAgeMs ?? 0) >= 3_600_000)
  assert.equal(b?.oldestAgeMs, 0)
})

test('an entry that left while it was counted does not make room for two', async (t) => {
  const { db } = await createQueueStore(t, 'sqlite')
  using depths = new Depths({ db, log: silentLog })

  depths.left('http', 'account-a')
  depths.enter('http', 'account-a').committed()

  assert.deepEqual(depths.of('http', 'account-a'), { inAll: 1, ofAccount: 1 })
})

test('an entry that begins before it is written counts as running until then', async (t) => {
  const { db } = await createQueueStore(t, 'sqlite')
  using depths = new Depths({ db, log: silentLog })
  const counts = () => [depths.byLane().http.running, depths.of('http', 'account-a').inAll]

  const begun = depths.begin('http', 'account-a')
  assert.deepEqual(counts(), [1, 1])
  begun.committed()
  assert.deepEqual(counts(), [0, 1])
  depths.left('http', 'account-a')
  assert.deepEqual(counts(), [0, 0])
  depths.begin('http', 'account-a').withdrawn()
  assert.deepEqual(counts(), [0, 0])
})

test('entries that came before a count count while it is under way', async (t) => {
  const { db } = await createQueueStore(t, 'sqlite')
  const { transaction } = db
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let countings = 0
  Object.assign(db, {
    async transaction(...args: Parameters<typeof transaction>) {
      countings += 1
      if (countings === 2) {
        begun.resolve()
        await end.promise
      }
      return transaction.apply(db, args)
    },
  })
  using depths = new Depths({ db, log: silentLog })
  depths.enter('http', 'account-a').committed()

  await begun.promise

  assert.deepEqual(depths.of('http', 'account-a'), { inAll: 1, ofAccount: 1 })
  end.resolve()
})
