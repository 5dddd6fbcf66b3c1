/** Helpers of the queue's tests: stores with entries, and processes that work on them. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Lane } from '../../src/domain/task/lane.ts'
import type { ConcurrencyLimit } from '../../src/queue/concurrency-limits.ts'
import type { Lease } from '../../src/queue/lease.ts'
import { type Queue, type QueueOptions, startQueue } from '../../src/queue/queue.ts'
import type { Database } from '../../src/storage/database.ts'
import { listReadyFlows } from '../../src/storage/queries/queue.ts'
import { type Statement, sql } from '../../src/storage/statement.ts'
import {
  claimEntries,
  insertReadyEntry,
  type NewEntry,
  returnLostLeases,
} from '../../src/storage/tables/queue-entries.ts'
import type { PostgresServer } from '../support/postgres-server.ts'
import { createTestStore, type StoreKind, silentLog } from '../support/test-store.ts'
import { until } from '../support/until.ts'

/** One store that several processes share. */
export interface QueueStore {
  readonly kind: StoreKind
  /** The test's own connection, to inspect and change rows. */
  readonly db: Database
  readonly url: string | undefined
  readonly dataDir: string
  start(options?: ProcessOptions): Promise<TestProcess>
}

interface ProcessOptions extends Partial<QueueOptions> {
  /** The store's URL if the process is to connect through a proxy. */
  url?: string | undefined
  onAbandoned?: Parameters<Queue['listenForAbandoned']>[0]
}

/** A queue with connections of its own, as another process would have them. */
interface TestProcess {
  readonly queue: Queue
  readonly db: Database
  readonly abandoned: string[]
  fencedCount: number
  reclaimedCount: number
}

/** Long enough that no lease is lost on a busy machine. */
export const safeLeaseMs = 20_000
/** For tests that wait until it runs out. */
export const shortLeaseMs = 1_000
/** For tests that wait until it was renewed past its original end, even on a busy machine. */
export const renewedLeaseMs = 2_400

export async function createQueueStore(
  t: TestContext,
  kind: StoreKind,
  ownServer?: PostgresServer,
): Promise<QueueStore> {
  const queues = new AsyncDisposableStack()
  // Registered before the store's own, so that the queues end before the store does.
  t.after(() => queues.disposeAsync())
  const store = await createTestStore(t, kind, ownServer)
  const db = await store.open()
  return {
    kind,
    db,
    url: store.place.url,
    dataDir: store.place.dataDir,
    async start({ url, onAbandoned, ...options } = {}) {
      const ownDb = options.db ?? (await store.open(url === undefined ? {} : { url }))
      const counted = { abandoned: [] as string[], fencedCount: 0, reclaimedCount: 0 }
      const queue = startQueue({
        log: silentLog,
        leaseMs: safeLeaseMs,
        graceMs: 0,
        onFenced: () => {
          counted.fencedCount++
        },
        onReclaimed: (count) => {
          counted.reclaimedCount += count
        },
        ...options,
        db: ownDb,
      })
      queue.listenForAbandoned(
        onAbandoned ?? (async (workId) => void counted.abandoned.push(workId)),
      )
      queues.use(queue)
      return Object.assign(counted, { queue, db: ownDb })
    },
  }
}

/** Work that a lane has started and that runs until the test ends it. */
export interface Piece {
  readonly lease: Lease
  readonly preloaded: string | undefined
  end(): void
  fail(error: Error): void
}

/** Entries of the delivery lane, for two destinations. */
export const slow = { lane: 'delivery', concurrencyKey: 'https://slow.example' } as const
export const quick = { lane: 'delivery', concurrencyKey: 'https://quick.example' } as const

/** Records what a lane has started, in order. */
export interface Desk {
  readonly pieces: Piece[]
  work(lease: Lease, preloaded: string | undefined): Promise<void>
  /** The ids of the started entries, in order. */
  ids(): string[]
  /** Waits until so many entries have started since the beginning of the test. */
  untilBegun(count: number): Promise<Piece[]>
}

export function createDesk(): Desk {
  const pieces: Piece[] = []
  return {
    pieces,
    work: (lease, preloaded) =>
      new Promise((resolve, reject) => {
        pieces.push({ lease, preloaded, end: resolve, fail: reject })
      }),
    ids: () => pieces.map(({ lease }) => lease.id),
    async untilBegun(count) {
      await until(() => pieces.length >= count)
      return pieces
    },
  }
}

export async function settleAndEnd(piece: Piece | undefined): Promise<void> {
  assert(piece)
  await piece.lease.settle([])
  piece.end()
}

/** Settles at once and records the order. */
export function settleAtOnce(done: string[]): (lease: Lease) => Promise<void> {
  return async (lease) => {
    done.push(lease.id)
    await lease.settle([])
  }
}

export const noLimit = (): ConcurrencyLimit => ({ max: Number.POSITIVE_INFINITY, isGlobal: false })
export const limitedTo = (max: number) => (): ConcurrencyLimit => ({ max, isGlobal: true })

export const newEntry = (id: string, more: Partial<NewEntry> = {}): NewEntry => ({
  id,
  lane: 'http',
  workId: `work-${id}`,
  accountId: 'account-a',
  ...more,
})

/** `count` ids that sort in the order of their numbers. */
export const numberedIds = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(4, '0')}`)

export async function insertReady(
  db: Database,
  ids: readonly string[],
  more: Partial<NewEntry> = {},
): Promise<void> {
  await db.transaction(ids.map((id) => insertReadyEntry(newEntry(id, more))))
}

/** Leases all ready entries of a lane, as another process would. */
export async function claimAll(
  { db }: QueueStore,
  { lane = 'http', leasedBy, leaseMs }: { lane?: Lane; leasedBy: string; leaseMs: number },
): Promise<void> {
  const nowMs = db.nowMs()
  const terms = { leasedBy, leasedUntilMs: nowMs + leaseMs, nowMs }
  const flows = await db.run(listReadyFlows(lane, ''))
  const silence = { processId: leasedBy, silentUntilMs: 0 }
  await db.transaction(
    flows.map((flow) => claimEntries({ lane, flow, entriesMax: 1_000 }, terms, silence)),
  )
}

/** All leases run out, and no process says that it lives. */
export async function loseLeases({ db }: QueueStore): Promise<void> {
  await db.transaction([
    returnLostLeases(Number.MAX_SAFE_INTEGER),
    sql`update queue_entries set crashed_by = null`,
  ])
}

export interface EntryRow {
  id: string
  lane: Lane
  state: string
  due_at_ms: number | null
  flow: string
  concurrency_key: string | null
  leased_by: string | null
  leased_until_ms: number | null
  fence: number
  crashes: number
  started_at_ms: number | null
}

export const listEntries = (): Statement<EntryRow> => sql<EntryRow>`
  select id, lane, state, due_at_ms, flow, concurrency_key, leased_by, leased_until_ms, fence,
    crashes, started_at_ms
  from queue_entries order by id`

export async function getEntry(db: Database, id: string): Promise<EntryRow> {
  const found = (await db.run(listEntries())).find((entry) => entry.id === id)
  assert(found, `There is no entry ${id}.`)
  return found
}
