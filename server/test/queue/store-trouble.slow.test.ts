import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import type { Log } from '../../src/runtime/log.ts'
import { retryUntilSuccess } from '../support/retry-until-success.ts'
import { startFastPostgres } from '../support/shared-postgres.ts'
import { startStallingProxy } from '../support/stalling-proxy.ts'
import { storeKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'
import {
  createDesk,
  createQueueStore,
  getEntry,
  insertReady,
  listEntries,
  noLimit,
  type QueueStore,
  renewedLeaseMs,
  safeLeaseMs,
  shortLeaseMs,
} from './queue-process.ts'

const leaseMs = 2_000

test('postgres: a process that cannot renew a lease aborts the work before the lease runs out', async (t) => {
  const { store, proxy, desk } = await beginBehindProxy(t, leaseMs)
  const [piece] = desk.pieces

  const stalledAtMs = performance.now()
  proxy.stall()
  assert(piece)
  if (!piece.lease.signal.aborted) await once(piece.lease.signal, 'abort')
  const abortedAfterMs = performance.now() - stalledAtMs

  assert(abortedAfterMs < leaseMs, `ended after ${abortedAfterMs} ms`)
  assert(abortedAfterMs > leaseMs / 4, `ended after ${abortedAfterMs} ms`)
  const [entry] = await store.db.run(listEntries())
  assert.equal(entry?.state, 'leased')
  proxy.resume()
})

test('postgres: an outcome after a failed renewal is written if no other process claimed the entry', async (t) => {
  const { store, proxy, process, desk } = await beginBehindProxy(t, leaseMs)
  const [piece] = desk.pieces
  assert(piece)

  proxy.stall()
  if (!piece.lease.signal.aborted) await once(piece.lease.signal, 'abort')
  const settled = piece.lease.settle([])
  proxy.resume()

  assert.ok(await settled)
  piece.end()
  assert.equal(process.fencedCount, 0)
  assert.deepEqual(await store.db.run(listEntries()), [])
})

test('postgres: work that began after an outage is kept, though no lease was renewed since', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const warnings: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void warnings.push(line) })
  const { process, producer, proxy, desk } = await beginBehindProxy(t, leaseMs, {
    log,
    slotsMax: 2,
  })
  const missHeartbeat = async () => {
    const { length } = warnings
    t.mock.timers.tick(leaseMs / 4)
    await until(() => warnings.slice(length).some((line) => /Failed to renew/.test(line)))
  }

  proxy.stall()
  await missHeartbeat()
  await missHeartbeat()
  proxy.resume()
  const pending = producer.enqueue({ id: 'two', workId: 'w', accountId: 'account-a' })
  await retryUntilSuccess(() => process.db.run(pending.statement))
  pending.committed('not preloaded')
  const [one, two] = await desk.untilBegun(2)
  proxy.stall()
  await missHeartbeat()

  assert.equal(one?.lease.signal.aborted, true, 'its lease is about to run out')
  assert.equal(two?.lease.signal.aborted, false, 'its lease has just begun')
})

test('postgres: work goes on where an outage ends while a quarter of its lease is left', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const server = await startFastPostgres()
  const store = await createQueueStore(t, 'postgres', server)
  await insertReady(store.db, ['one'])
  const { queue } = await store.start()
  const desk = createDesk()
  queue.openLane({ lane: 'http', slotsMax: 1, limitOf: noLimit, ...desk })
  const [piece] = await desk.untilBegun(1)
  const leasedUntil = async () => Number((await getEntry(store.db, 'one')).leased_until_ms)
  const before = await leasedUntil()

  await server.stop()
  for (let heartbeat = 1; heartbeat <= 3; heartbeat++) t.mock.timers.tick(safeLeaseMs / 4)
  await server.start()
  await until(async () => (await retryUntilSuccess(leasedUntil)) > before)

  assert.equal(piece?.lease.signal.aborted, false)
  assert.ok(await piece?.lease.settle([]))
  piece?.end()
})

for (const kind of storeKinds) {
  test(`${kind}: a process that was blocked for longer than its lease keeps entries nobody claimed`, async (t) => {
    const store = await createQueueStore(t, kind)
    await insertReady(store.db, ['one'])
    const process = await store.start({ leaseMs: renewedLeaseMs })
    const desk = createDesk()
    process.queue.openLane({ lane: 'http', slotsMax: 1, limitOf: noLimit, ...desk })
    const [piece] = await desk.untilBegun(1)
    const [before] = await store.db.run(listEntries())

    holdUp(2 * renewedLeaseMs)
    await until(async () => {
      const [entry] = await store.db.run(listEntries())
      return Number(entry?.leased_until_ms) > Number(before?.leased_until_ms)
    })

    assert.equal(piece?.lease.signal.aborted, false)
    assert.ok(await piece?.lease.settle([]))
    piece?.end()
    assert.equal(process.fencedCount, 0)
    assert.equal(desk.pieces.length, 1)
  })
}

/** Blocks the event loop, as if the process got no CPU time. */
const holdUp = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

test('postgres: work aborted because of a failed renewal starts again and is not counted as crashed', async (t) => {
  const { proxy, desk } = await beginBehindProxy(t, leaseMs)
  const [piece] = desk.pieces
  assert(piece)

  proxy.stall()
  if (!piece.lease.signal.aborted) await once(piece.lease.signal, 'abort')
  proxy.resume()
  piece.fail(new Error('The work was cut off.'))
  const [, again] = await desk.untilBegun(2)

  assert.equal(again?.lease.id, 'one')
  assert.equal(again?.lease.crashes, 0)
})

test('postgres: an outcome is written once the store is back, and the lane continues', async (t) => {
  const server = await startFastPostgres()
  const store = await createQueueStore(t, 'postgres', server)
  await insertReady(store.db, ['one'])
  const { queue, fencedCount } = await store.start()
  const desk = createDesk()
  queue.openLane({ lane: 'http', slotsMax: 1, limitOf: noLimit, ...desk })
  const [piece] = await desk.untilBegun(1)

  await server.stop()
  const settled = piece?.lease.settle([])
  await assert.rejects(store.db.ping())
  await server.start()
  const isSettled = await settled
  piece?.end()
  await retryUntilSuccess(() => insertReady(store.db, ['two']))
  const [, next] = await desk.untilBegun(2)

  assert.ok(isSettled)
  assert.equal(fencedCount, 0)
  assert.equal(next?.lease.id, 'two')
})

test('postgres: after an outage no process takes another for dead that only comes back later', async (t) => {
  const first = await beginBehindProxy(t, leaseMs)
  const { store } = first
  const second = await startBehindProxy(t, store, leaseMs)
  const awaited = { by: second.queue.processId, untilMs: second.queue.awaitedUntilMs() }
  await insertReady(store.db, ['two'], { awaited })
  await second.desk.untilBegun(1)
  const comeBack = async ({ proxy }: typeof second, id: string) => {
    proxy.resume()
    // What was sent before the outage may only arrive now.
    const renewedUntilMs = store.db.nowMs() + leaseMs
    await until(
      async () => Number((await getEntry(store.db, id)).leased_until_ms) >= renewedUntilMs,
    )
  }

  for (const { proxy } of [first, second]) proxy.stall()
  await until(async () => {
    const entries = await store.db.run(listEntries())
    return entries.every(({ leased_until_ms }) => Number(leased_until_ms) < store.db.nowMs())
  })
  await comeBack(first, 'one')
  await comeBack(second, 'two')

  assert.equal(first.process.reclaimedCount, 0)
  assert.deepEqual(first.process.abandoned, [])
  const entries = await store.db.run(listEntries())
  assert.deepEqual(
    entries.map((entry) => [entry.id, entry.crashes]),
    [
      ['one', 0],
      ['two', 0],
    ],
  )
})

test('postgres: a process that was cut off alone takes back the crash that others have counted', async (t) => {
  const { store, proxy, desk } = await beginBehindProxy(t, shortLeaseMs)
  const [piece] = desk.pieces
  const other = await store.start({ leaseMs: shortLeaseMs })
  const otherDesk = createDesk()
  other.queue.openLane({ lane: 'http', slotsMax: 1, limitOf: noLimit, ...otherDesk })

  proxy.stall()
  const [taken] = await otherDesk.untilBegun(1)
  piece?.fail(new Error('The work was cut off.'))
  proxy.resume()
  await until(async () => (await store.db.run(listEntries()))[0]?.crashes === 0)

  assert.deepEqual([taken?.lease.id, taken?.lease.crashes], ['one', 1])
  assert.ok(await taken?.lease.settle([]), 'the one that took over keeps the entry')
})

/** Starts a process that holds the entry `one` and whose connection to the store can be stalled. */
async function beginBehindProxy(
  t: TestContext,
  leaseMs: number,
  options: { log?: Log; slotsMax?: number } = {},
) {
  const store = await createQueueStore(t, 'postgres')
  await insertReady(store.db, ['one'])
  const started = await startBehindProxy(t, store, leaseMs, options)
  await started.desk.untilBegun(1)
  return { store, ...started }
}

async function startBehindProxy(
  t: TestContext,
  store: QueueStore,
  leaseMs: number,
  { slotsMax = 1, ...options }: { log?: Log; slotsMax?: number } = {},
) {
  const url = new URL(store.url ?? '')
  const proxy = await startStallingProxy(Number(url.port))
  t.after(async () => {
    // Otherwise closing would wait for the stalled connections.
    proxy.resume()
    await proxy[Symbol.asyncDispose]()
  })
  url.port = String(proxy.port)
  const process = await store.start({ ...options, leaseMs, url: url.href })
  const desk = createDesk()
  const producer = process.queue.openLane<string>({
    lane: 'http',
    slotsMax,
    limitOf: noLimit,
    ...desk,
  })
  return { proxy, process, producer, queue: process.queue, desk }
}
