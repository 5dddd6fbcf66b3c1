/**
 * A durable queue. All work is an entry in one table: leased, worked on, settled. A lane claims entries
 * flow by flow, fair among accounts (tenants). A lease whose heartbeat stops is returned, and a fence
 * number (fencing token) rejects the writes of a zombie. This folder knows nothing of tasks or deliveries.
 */
import { flowName } from '../domain/task/flow.ts'
import type { Lane } from '../domain/task/lane.ts'
import type { Log } from '../runtime/log.ts'
import { sortableId } from '../runtime/sortable-id.ts'
import type { CallLimits, Database } from '../storage/database.ts'
import type { LeaseMarks } from '../storage/lease-marks.ts'
import { notify, type Statement } from '../storage/statement.ts'
import { findOtherLaneWorker } from '../storage/tables/lane-workers.ts'
import {
  insertReadyEntry,
  insertReadyEntryIf,
  type NewEntry,
  type ReturnedEntry,
  releaseLeases,
} from '../storage/tables/queue-entries.ts'
import type { LaneOptions } from './lane-options.ts'
import { LaneWorker, type PendingEnqueue, type ReservedSlot } from './lane-worker.ts'
import { type AbandonedListener, LeaseKeeper } from './lease-keeper.ts'
import type { PendingEntries } from './pending-entries.ts'

export interface Queue extends AsyncDisposable {
  /** Identifies this process among those that share the store. */
  readonly processId: string
  /** Works on a lane until disposed. */
  openLane<Preloaded>(options: LaneOptions<Preloaded>): LaneProducer<Preloaded>
  /** A producer for a lane that other processes work on. */
  producerFor(lane: Lane): LaneProducer<never>
  /** Whether another process on the store advertises that it works on the lane. */
  isAdvertisedElsewhere(lane: Lane, limits?: CallLimits): Promise<boolean>
  /** Whether work was begun here and is not in the store yet. */
  isUnwritten(workId: string): boolean
  /** Writes work that was begun here before it was in the store; false if there is no such work. */
  writeWork(workId: string): Promise<boolean>
  /** Writes all such work of the account. */
  writeWorkOf(accountId: string): Promise<void>
  /** Aborts the work, if it runs in this process. */
  abortWork(workId: string): void
  /** Calls the listener for work whose waiting caller is gone. */
  listenForAbandoned(listener: AbandonedListener): void
  /** Calls that listener for the work as soon as the store can be written to. */
  abandon(workId: string): void
  /** The store takes no writes of this process at present. */
  readonly isCutOff: boolean
  /** Until when a caller counts as waiting; the heartbeat renews it while this process lives. */
  awaitedUntilMs(): number
  /** A stop begins: a kill from now on is no crash. */
  markStopping(): void
  stopClaiming(): void
  /** Aborts all work, for a shutdown whose grace period is over. */
  abortAllWork(): void
}

/** Adds entries to a lane. */
export interface LaneProducer<Preloaded> {
  /** Returns the insert statement; after the transaction call `committed` or `withdrawn`. */
  enqueue(entry: Omit<NewEntry, 'lane'>): PendingEnqueue<Preloaded>
  /**
   * A slot in which the entry begins before it is written: it is, with `work`, once that has an outcome or
   * took a second, and withdrawn if it is given up before. Undefined if the entry has to wait for a slot.
   */
  tryBegin(entry: Omit<NewEntry, 'lane'>, work: PendingEntries): ReservedSlot<Preloaded> | undefined
  /** For many entries in one transaction, which no lane leases directly; call `announce` or `wake` after it. */
  enqueueReady(entry: Omit<NewEntry, 'lane'>): Statement<never>
  /** Inserts only if the condition holds and the entry does not exist; returns a row if it did. */
  enqueueReadyIf(
    entry: Omit<NewEntry, 'lane' | 'awaited'>,
    condition: Statement<unknown>,
  ): Statement<{ id: string }>
  /** Returns the prefetched entries of the key to the store; call `wake` after it. */
  releasePrefetched(concurrencyKey: string): Promise<void>
  /** The flow has ready entries. */
  announce(flow: string): void
  /** The workers poll at once, for ready entries that were not announced. */
  wake(): void
}

export interface QueueOptions {
  db: Database
  log: Log
  /** Identifies this process among those that share the store; a new one by default. */
  processId?: string
  /** How long the work of a process that died waits until another can claim it. */
  leaseMs: number
  /** The grace period of a graceful shutdown: how long running work may take to end. */
  graceMs: number
  /** Without it, a stop counts as a crash where the store is away or the process is killed before it ends. */
  unreleased?: LeaseMarks
  /** The longest pause between two attempts in each lane. Without it, a clock that is set back lengthens them. */
  pauseMsMax?: Readonly<Record<Lane, number>>
  onFenced(): void
  onReclaimed(count: number): void
}

const channel = 'queue_ready'

export function startQueue(options: QueueOptions): Queue {
  const { db, log, leaseMs, graceMs, onFenced, processId = sortableId() } = options
  const workers = new Map<Lane, LaneWorker<unknown>>()
  const notifier = new ReadyNotifier(db, log)
  const keeper = new LeaseKeeper({ ...options, processId, workers, announce })
  const subscription = db.listen(channel, (payload) => {
    const { lane, flow } = readPayload(payload)
    const worker = workers.get(lane)
    if (flow === '') worker?.poll()
    else worker?.announce([flow])
  })
  const silence = () => keeper.silence
  const laneParts = { db, log, leasedBy: processId, leaseMs, silence, onFenced, announce }
  let isStopping = false
  let isMarked = false

  return {
    processId,
    openLane<Preloaded>(lane: LaneOptions<Preloaded>): LaneProducer<Preloaded> {
      const worker = new LaneWorker(lane, laneParts)
      workers.set(lane.lane, worker as LaneWorker<unknown>)
      if (isStopping) worker.stopClaiming()
      if (worker.isAdvertised) void keeper.advertise(worker)
      return createProducer(lane.lane, worker, { announce, notifier })
    },
    producerFor: (lane) => createProducer<never>(lane, undefined, { announce, notifier }),
    async isAdvertisedElsewhere(lane, limits) {
      const asked = { lane, processId, nowMs: db.nowMs() }
      return (await db.run(findOtherLaneWorker(asked), limits)).length > 0
    },
    isUnwritten: (workId) => [...workers.values()].some(({ begunWork }) => begunWork.has(workId)),
    async writeWork(workId) {
      const each = [...workers.values()].map(({ begunWork }) => begunWork.write(workId))
      return (await Promise.all(each)).includes(true)
    },
    async writeWorkOf(accountId) {
      await Promise.all([...workers.values()].map(({ begunWork }) => begunWork.writeOf(accountId)))
    },
    abortWork(workId) {
      for (const worker of workers.values()) worker.abortWork(workId)
    },
    listenForAbandoned: (listener) => keeper.listenForAbandoned(listener),
    abandon: (workId) => keeper.abandon(workId),
    get isCutOff() {
      return keeper.isCutOff
    },
    awaitedUntilMs: () => db.nowMs() + leaseMs,
    markStopping,
    stopClaiming,
    abortAllWork() {
      for (const worker of workers.values()) worker.abortAllWork()
    },
    async [Symbol.asyncDispose]() {
      stopClaiming()
      const idle = Promise.all([...workers.values()].map((worker) => worker.whenIdle()))
      await Promise.race([idle, afterMs(graceMs)])
      await Promise.all([...workers.values()].map((worker) => worker[Symbol.asyncDispose]()))
      await keeper[Symbol.asyncDispose]()
      subscription[Symbol.dispose]()
      await releaseAll(options, processId)
    },
  }

  function markStopping(): void {
    if (!isMarked) options.unreleased?.stopping(processId)
    isMarked = true
  }

  function stopClaiming(): void {
    markStopping()
    isStopping = true
    for (const worker of workers.values()) worker.stopClaiming()
  }

  /** Announces ready entries to this process, and to the others if it has no free slot. */
  function announce(entries: readonly ReturnedEntry[]): void {
    for (const [lane, ofLane] of Map.groupBy(entries, (entry) => entry.lane)) {
      const flows = [...new Set(ofLane.map(({ flow }) => flow))]
      const worker = workers.get(lane)
      worker?.announce(flows)
      if (!worker?.canClaim) for (const flow of flows) notifier.notify(lane, flow)
    }
  }
}

type Announce = (entries: readonly ReturnedEntry[]) => void

function createProducer<Preloaded>(
  lane: Lane,
  worker: LaneWorker<Preloaded> | undefined,
  { announce, notifier }: { announce: Announce; notifier: ReadyNotifier },
): LaneProducer<Preloaded> {
  return {
    enqueue(given) {
      const entry: NewEntry = { ...given, lane }
      return (
        worker?.tryLease(entry) ?? {
          statement: insertReadyEntry(entry),
          committed(preloaded) {
            worker?.preloads.keep(entry.id, preloaded)
            announce([{ lane, flow: flowName(entry) }])
          },
          withdrawn: () => undefined,
        }
      )
    },
    tryBegin: (entry, work) => worker?.tryBegin({ ...entry, lane }, work),
    enqueueReady: (entry) => insertReadyEntry({ ...entry, lane }),
    enqueueReadyIf: (entry, condition) => insertReadyEntryIf({ ...entry, lane }, condition),
    releasePrefetched: async (key) => worker?.releasePrefetched(key),
    announce: (flow) => announce([{ lane, flow }]),
    wake() {
      worker?.poll()
      if (!worker?.canClaim) notifier.notify(lane, '')
    },
  }
}

/** Notifies other processes of ready entries, with one notification at a time for each flow. */
class ReadyNotifier {
  readonly #db: Database
  readonly #log: Log
  readonly #beingSent = new Map<string, { isRepeated: boolean }>()

  constructor(db: Database, log: Log) {
    this.#db = db
    this.#log = log
  }

  notify(lane: Lane, flow: string): void {
    if (!this.#db.isShared) return
    const payload = `${lane} ${flow}`
    const underWay = this.#beingSent.get(payload)
    if (underWay) {
      underWay.isRepeated = true
      return
    }
    const sending = { isRepeated: false }
    this.#beingSent.set(payload, sending)
    this.#db
      .run(notify(channel, payload))
      .catch((error) =>
        this.#log.debug({ err: error, lane }, 'Failed to notify other processes; they poll.'),
      )
      .finally(() => {
        this.#beingSent.delete(payload)
        if (sending.isRepeated) this.notify(lane, flow)
      })
  }
}

function readPayload(payload: string): { lane: Lane; flow: string } {
  const [lane = '', ...flow] = payload.split(' ')
  return { lane: lane as Lane, flow: flow.join(' ') }
}

async function releaseAll({ db, log, unreleased }: QueueOptions, processId: string): Promise<void> {
  try {
    const released = await db.run(releaseLeases(processId))
    for (const lane of new Set(released.map((entry) => entry.lane))) {
      await db.run(notify(channel, `${lane} `))
    }
    unreleased?.stopped(processId)
  } catch (error) {
    log.warn(
      { err: error },
      'Failed to release the leases of this process; the next start does it.',
    )
    unreleased?.keep(processId)
  }
}

function afterMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
