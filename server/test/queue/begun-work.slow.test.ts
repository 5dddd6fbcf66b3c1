import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PendingEntries } from '../../src/queue/pending-entries.ts'
import type { Database } from '../../src/storage/database.ts'
import { storeUnavailable } from '../../src/storage/outages/store-unavailable.ts'
import { sql } from '../../src/storage/statement.ts'
import { insertReadyEntry, insertReadyEntryIf } from '../../src/storage/tables/queue-entries.ts'
import { type StoreKind, storeKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'
import {
  createDesk,
  createQueueStore,
  listEntries,
  newEntry,
  noLimit,
  settleAndEnd,
} from './queue-process.ts'

/** Stands for what the entry is for; without the clock going on, nothing is written for its age. */
async function begin(t: TestContext, kind: StoreKind) {
  const store = await createQueueStore(t, kind)
  const { queue, db } = await store.start()
  const clock = { nowMs: db.nowMs() }
  Object.assign(db, { nowMs: () => clock.nowMs })
  const desk = createDesk()
  const producer = queue.openLane({ lane: 'http', slotsMax: 1, limitOf: noLimit, ...desk })
  const calls: string[] = []
  const work: PendingEntries = {
    statements: [insertReadyEntryIf(row('the work'), sql`1 = 1`).required('lease')],
    committed: () => void calls.push('committed'),
    withdrawn: () => void calls.push('withdrawn'),
  }
  const tryBegin = () => producer.tryBegin(newEntry('one'), work)
  await until(() => {
    const slot = tryBegin()
    slot?.begin('known')
    return slot !== undefined
  })
  const [piece] = desk.pieces
  assert(piece)
  const list = async () =>
    (await store.db.run(listEntries())).map(({ id, state }) => `${id}: ${state}`)
  return { store, queue, db, producer, clock, desk, piece, calls, list, tryBegin }
}

/** The next transaction is made, but its answer does not come. */
function loseAnswer(db: Database): void {
  const { transaction } = db
  Object.assign(db, {
    async transaction(...args: Parameters<typeof transaction>) {
      Object.assign(db, { transaction })
      await transaction.apply(db, args)
      throw storeUnavailable('The answer was lost.')
    },
  })
}

const row = (id: string) => newEntry(id, { lane: 'browser' })
const outcome = () => [insertReadyEntry(row('the outcome'))]

describe('work that begins before it is written', { concurrency: 4 }, () => {
  for (const kind of storeKinds) {
    test(`${kind}: it is written once, with its outcome`, async (t) => {
      const { piece, calls, list } = await begin(t, kind)
      assert.deepEqual([piece.preloaded, await list(), calls], ['known', [], []])

      assert.equal(await piece.lease.settle(outcome()), true)

      assert.deepEqual(await list(), ['the outcome: ready', 'the work: ready'])
      assert.deepEqual(calls, ['committed'])
    })

    test(`${kind}: what it records before its end is written with its entry`, async (t) => {
      const { piece, list } = await begin(t, kind)

      assert.equal(await piece.lease.record([]), true)

      assert.deepEqual(await list(), ['one: leased', 'the work: ready'])
      assert.equal(await piece.lease.settle(outcome()), true)
      assert.deepEqual(await list(), ['the outcome: ready', 'the work: ready'])
    })

    test(`${kind}: postponed, it is scheduled and claimed again`, async (t) => {
      const { piece, clock, desk } = await begin(t, kind)

      assert.equal(await piece.lease.postpone(clock.nowMs, []), true)
      piece.end()

      const [, again] = await desk.untilBegun(2)
      assert.deepEqual([again?.lease.id, again?.preloaded], ['one', undefined])
    })

    test(`${kind}: it continues in another lane`, async (t) => {
      const { piece, list } = await begin(t, kind)
      const to = { lane: 'browser', concurrencyKey: undefined, isStarted: true } as const

      assert.equal(await piece.lease.move(to, []), true)

      assert.deepEqual(await list(), ['one: ready', 'the work: ready'])
    })

    test(`${kind}: it is written after a second, with the time at which it began`, async (t) => {
      const { store, queue, clock, calls, list } = await begin(t, kind)
      const begunAtMs = clock.nowMs
      clock.nowMs += 1_000

      await until(async () => (await list()).includes('one: leased'))

      const entry = (await store.db.run(listEntries())).find(({ id }) => id === 'one')
      assert.deepEqual(
        [entry?.leased_by, entry?.started_at_ms, calls],
        [queue.processId, begunAtMs, ['committed']],
      )
    })

    test(`${kind}: it is written when it is asked for, by its id or by its account`, async (t) => {
      const { queue, list } = await begin(t, kind)
      assert.equal(await queue.writeWork('work-another'), false)
      await queue.writeWorkOf('account-b')
      assert.deepEqual(await list(), [])

      await queue.writeWorkOf('account-a')

      assert.deepEqual(await list(), ['one: leased', 'the work: ready'])
      assert.equal(await queue.writeWork('work-one'), false)
    })

    test(`${kind}: asked for while it ends, it is written once`, async (t) => {
      const { queue, piece, calls, list } = await begin(t, kind)

      const written = await Promise.all([
        queue.writeWork('work-one'),
        piece.lease.settle(outcome()),
        queue.writeWork('work-one'),
        queue.writeWorkOf('account-a'),
      ])

      assert.deepEqual(written.slice(0, 3), [true, true, true])
      assert.deepEqual(await list(), ['the outcome: ready', 'the work: ready'])
      assert.deepEqual(calls, ['committed'])
    })

    for (const [change, isOver] of [
      ['settle', true],
      ['record', false],
    ] as const) {
      test(`${kind}: a ${change} whose answer was lost is not written twice`, async (t) => {
        const { db, piece, calls, list } = await begin(t, kind)
        loseAnswer(db)

        assert.equal(await piece.lease[change](outcome()), !isOver)

        const entry = isOver ? [] : ['one: leased']
        assert.deepEqual(await list(), [...entry, 'the outcome: ready', 'the work: ready'])
        assert.deepEqual(calls, ['committed'])
      })
    }

    test(`${kind}: it ends as usual after the answer to an earlier write was lost`, async (t) => {
      const { queue, db, piece, calls, list } = await begin(t, kind)
      loseAnswer(db)
      await assert.rejects(queue.writeWork('work-one'), { code: 'STORE_UNAVAILABLE' })

      assert.equal(await piece.lease.settle(outcome()), true)

      assert.deepEqual(await list(), ['the outcome: ready', 'the work: ready'])
      assert.deepEqual(calls, ['committed'])
    })

    test(`${kind}: after a failed write nothing begins before new work was written`, async (t) => {
      const { queue, db, producer, desk, piece, tryBegin } = await begin(t, kind)
      loseAnswer(db)
      await assert.rejects(queue.writeWork('work-one'))
      await settleAndEnd(piece)
      await nextTurn()
      assert.equal(tryBegin(), undefined)

      const pending = producer.enqueue(newEntry('two'))
      await db.run(pending.statement)
      pending.committed('known')
      await settleAndEnd(desk.pieces[1])
      await nextTurn()

      assert(tryBegin())
    })

    test(`${kind}: given up before it is written, it is withdrawn and frees its slot`, async (t) => {
      const { queue, piece, calls, list, tryBegin } = await begin(t, kind)
      assert.equal(tryBegin(), undefined, 'the lane has one slot')

      queue.abortWork('work-one')
      piece.end()
      await until(() => calls.length > 0)

      assert.deepEqual([calls, await list()], [['withdrawn'], []])
      assert(tryBegin())
    })

    test(`${kind}: nothing begins at once while polls of the store fail`, async (t) => {
      const { db, piece, tryBegin } = await begin(t, kind)
      await piece.lease.settle([])
      let failedCount = 0
      Object.assign(db, {
        transaction: async () => {
          failedCount += 1
          throw storeUnavailable('It is away.')
        },
      })
      piece.end()
      await until(() => failedCount > 0)

      assert.equal(tryBegin(), undefined)
    })
  }
})
