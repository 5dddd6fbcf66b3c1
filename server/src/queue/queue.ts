/**
 * Whatever is to be done is an entry in one table: leased, worked on, settled. A lane claims entries flow
 * by flow, fair among accounts; a lease whose heartbeat stops is returned, and a fence number guards every
 * write against a holder that came too late. This folder knows nothing of tasks or deliveries.
 */
import { flowName } from '../domain/task/flow.ts'
import type { Lane } from '../domain/task/lane.ts'
import type { Log } from '../runtime/log.ts'
import { sortableId } from '../runtime/sortable-id.ts'
import type { CallLimits, Database } from '../storage/database.ts'
import { findOtherLaneWorker } from '../storage/lane-workers-table.ts'
import {
  insertReadyEntry,
  insertReadyEntryIf,
  type NewEntry,
  type ReturnedEntry,
  releaseLeases,
} from '../storage/queue-entries-table.ts'
import { notify, type Statement } from '../storage/statement.ts'
import type { LaneOptions } from './lane-options.ts'
import { LaneWorker, type PendingEnqueue } from './lane-worker.ts'
import { LeaseKeeper } from './lease-keeper.ts'

export interface Queue extends AsyncDisposable {
  /** Names this process among those that share the store. */
  readonly processId: string
  /** Works on a lane until disposed. */
  openLane<Preloaded>(options: LaneOptions<Preloaded>): LaneProducer<Preloaded>
  /** For a lane that another process works on. */
  producerFor(lane: Lane): LaneProducer<never>
  /** Whether another process on the store has said of late that it works on the lane. */
  isAdvertisedElsewhere(lane: Lane, limits?: CallLimits): Promise<boolean>
  /** Ends the work on something here, if it is done here. */
  loseWork(workId: string): void
  /** How long a waiting caller is taken at its word; renewed for as long as this process lives. */
  awaitedUntilMs(): number
  stopClaiming(): void
  /** Ends all work under way, for a process that has waited for it long enough. */
  endAllWork(): void
}

/** How new work gets into a lane. */
export interface LaneProducer<Preloaded> {
  /** The statement to write the entry with; then say whether it was committed. */
  enqueue(entry: Omit<NewEntry, 'lane'>): PendingEnqueue<Preloaded>
  /** The same for many at once, which are claimed like any other; `wake` follows the transaction. */
  enqueueReady(entry: Omit<NewEntry, 'lane'>): Statement<never>
  /** Only while the condition holds and it is not there yet; gives a row when it was entered. */
  enqueueReadyIf(
    entry: Omit<NewEntry, 'lane' | 'awaited'>,
    condition: Statement<unknown>,
  ): Statement<{ id: string }>
  /** Returns to the store what was claimed ahead of a slot; `wake` follows. */
  releasePrefetched(concurrencyKey: string): Promise<void>
  /** Something is ready that was not announced: the workers poll at once. */
  wake(): void
}

export interface QueueOptions {
  db: Database
  log: Log
  /** How long the work of a process that died waits before another takes it. */
  leaseMs: number
  /** How long work in progress may take to end when the process stops. */
  graceMs: number
  onFenced(): void
  onReclaimed(count: number): void
  /** Work whose waiting caller is gone. */
  onAbandoned(workId: string): Promise<unknown>
}

const channel = 'queue_ready'

export function startQueue(options: QueueOptions): Queue {
  const { db, log, leaseMs, graceMs, onFenced } = options
  const processId = sortableId()
  const workers = new Map<Lane, LaneWorker<unknown>>()
  const notifier = new ReadyNotifier(db, log)
  const keeper = new LeaseKeeper({ ...options, processId, workers, announce })
  const subscription = db.listen(channel, (payload) => {
    const { lane, flow } = readPayload(payload)
    const worker = workers.get(lane)
    if (flow === '') worker?.poll()
    else worker?.announce([flow])
  })
  let isStopping = false

  return {
    processId,
    openLane<Preloaded>(lane: LaneOptions<Preloaded>): LaneProducer<Preloaded> {
      const worker = new LaneWorker(lane, { db, log, leasedBy: processId, leaseMs, onFenced })
      workers.set(lane.lane, worker as LaneWorker<unknown>)
      if (isStopping) worker.stopClaiming()
      if (worker.isAdvertised) void keeper.advertise(lane.lane)
      return producer(lane.lane, worker)
    },
    producerFor: (lane) => producer<never>(lane, undefined),
    async isAdvertisedElsewhere(lane, limits) {
      const asked = { lane, processId, nowMs: db.nowMs() }
      return (await db.run(findOtherLaneWorker(asked), limits)).length > 0
    },
    loseWork(workId) {
      for (const worker of workers.values()) worker.loseWork(workId)
    },
    awaitedUntilMs: () => db.nowMs() + leaseMs,
    stopClaiming,
    endAllWork() {
      for (const worker of workers.values()) worker.endAllWork()
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

  function stopClaiming(): void {
    isStopping = true
    for (const worker of workers.values()) worker.stopClaiming()
  }

  function producer<Preloaded>(
    lane: Lane,
    worker: LaneWorker<Preloaded> | undefined,
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
      enqueueReady: (entry) => insertReadyEntry({ ...entry, lane }),
      enqueueReadyIf: (entry, condition) => insertReadyEntryIf({ ...entry, lane }, condition),
      releasePrefetched: async (key) => worker?.releasePrefetched(key),
      wake() {
        worker?.poll()
        if (!worker?.canTake) notifier.notify(lane, '')
      },
    }
  }

  /** Wakes this process if it has a free slot, otherwise the others. */
  function announce(entries: readonly ReturnedEntry[]): void {
    for (const [lane, ofLane] of Map.groupBy(entries, (entry) => entry.lane)) {
      const flows = [...new Set(ofLane.map(({ flow }) => flow))]
      const worker = workers.get(lane)
      worker?.announce(flows)
      if (!worker?.canTake) for (const flow of flows) notifier.notify(lane, flow)
    }
  }
}

/** Tells other processes what is ready, one notification at a time for each flow. */
class ReadyNotifier {
  readonly #db: Database
  readonly #log: Log
  readonly #beingSent = new Map<string, { isAskedAgain: boolean }>()

  constructor(db: Database, log: Log) {
    this.#db = db
    this.#log = log
  }

  notify(lane: Lane, flow: string): void {
    if (!this.#db.isShared) return
    const payload = `${lane} ${flow}`
    const underWay = this.#beingSent.get(payload)
    if (underWay) {
      underWay.isAskedAgain = true
      return
    }
    const sending = { isAskedAgain: false }
    this.#beingSent.set(payload, sending)
    this.#db
      .run(notify(channel, payload))
      .catch((error) =>
        this.#log.debug({ err: error, lane }, 'Failed to notify other processes; they poll.'),
      )
      .finally(() => {
        this.#beingSent.delete(payload)
        if (sending.isAskedAgain) this.notify(lane, flow)
      })
  }
}

function readPayload(payload: string): { lane: Lane; flow: string } {
  const [lane = '', ...flow] = payload.split(' ')
  return { lane: lane as Lane, flow: flow.join(' ') }
}

async function releaseAll({ db, log }: QueueOptions, processId: string): Promise<void> {
  try {
    const released = await db.run(releaseLeases(processId))
    for (const lane of new Set(released.map((entry) => entry.lane))) {
      await db.run(notify(channel, `${lane} `))
    }
  } catch (error) {
    log.warn({ err: error }, 'Failed to release what was held; its leases will run out.')
  }
}

function afterMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
