/**
 * Whatever is to be done is an entry in one table: leased, worked on, settled. A lane claims what is
 * next in line, fair among accounts; a lease that is not renewed is returned, and a number guards
 * every write against a holder that came too late. This folder knows nothing of tasks or deliveries.
 */
import type { Lane } from '../domain/lane.ts'
import type { Log } from '../runtime/log.ts'
import { sortableId } from '../runtime/sortable-id.ts'
import type { CallLimits, Database } from '../storage/database.ts'
import { findOtherLaneWorker } from '../storage/lane-workers.ts'
import {
  insertReadyEntry,
  insertReadyEntryIf,
  type NewEntry,
  releaseLeases,
} from '../storage/queue-entries.ts'
import { notify, type Statement } from '../storage/statement.ts'
import type { LaneOptions } from './lane-options.ts'
import { LaneWorker } from './lane-worker.ts'
import { LeaseKeeper } from './lease-keeper.ts'

export interface Queue extends AsyncDisposable {
  /** Names this process among those that share the store. */
  readonly processId: string
  /** Works on a lane until disposed. */
  openLane<Handed>(options: LaneOptions<Handed>): LaneDoor<Handed>
  /** A way into a lane that another process works on. */
  doorTo(lane: Lane): LaneDoor<never>
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
export interface LaneDoor<Handed> {
  /** The statement to write the entry with; then say whether it was committed. */
  enter(entry: Omit<NewEntry, 'lane'>): Ticket<Handed>
  /** The same for many at once, which are claimed like any other; `wake` follows the transaction. */
  enterReady(entry: Omit<NewEntry, 'lane'>): Statement<never>
  /** Only while the condition holds and it is not there yet; gives a row when it was entered. */
  enterReadyIf(
    entry: Omit<NewEntry, 'lane' | 'awaited'>,
    condition: Statement<unknown>,
  ): Statement<{ id: string }>
  /** Whoever is in line at the gate is claimed anew after the next `wake`: what they waited for has changed. */
  emptyLine(gate: string): Promise<void>
  wake(): void
}

interface Ticket<Handed> {
  readonly statement: Statement<never>
  committed(handed: Handed): void
  withdrawn(): void
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
  const keeper = new LeaseKeeper({ ...options, processId, workers, announce })
  const subscription = db.listen(channel, (lane) => workers.get(lane as Lane)?.wake())
  const beingTold = new Set<Lane>()
  const toBeTold = new Set<Lane>()
  let isStopping = false

  return {
    processId,
    openLane<Handed>(lane: LaneOptions<Handed>): LaneDoor<Handed> {
      const worker = new LaneWorker(lane, { db, log, leasedBy: processId, leaseMs, onFenced })
      workers.set(lane.lane, worker as LaneWorker<unknown>)
      if (isStopping) worker.stopClaiming()
      if (worker.isAdvertised) void keeper.advertise(lane.lane)
      return door(lane.lane, worker)
    },
    doorTo: (lane) => door<never>(lane, undefined),
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
      await giveBackAll(options, processId)
    },
  }

  function stopClaiming(): void {
    isStopping = true
    for (const worker of workers.values()) worker.stopClaiming()
  }

  function door<Handed>(lane: Lane, worker: LaneWorker<Handed> | undefined): LaneDoor<Handed> {
    return {
      enter(given) {
        const entry: NewEntry = { ...given, lane }
        // Other processes may be at the same gate, which only a claim takes into account.
        const isGateShared = entry.gate !== undefined && db.kind === 'postgres'
        const held = isGateShared ? undefined : worker?.tryHold(entry)
        if (held) {
          return { statement: held.statement, committed: held.start, withdrawn: held.withdraw }
        }
        const withdrawn = () => undefined
        const parked = worker?.tryParking(entry)
        if (parked) return { statement: parked.statement, committed: parked.expect, withdrawn }
        const committed = () => announce(lane)
        return { statement: insertReadyEntry(entry), committed, withdrawn }
      },
      enterReady: (entry) => insertReadyEntry({ ...entry, lane }),
      enterReadyIf: (entry, condition) => insertReadyEntryIf({ ...entry, lane }, condition),
      emptyLine: async (gate) => worker?.emptyLine(gate),
      wake: () => announce(lane),
    }
  }

  /** Tells whoever can take it: this process if it can, otherwise the others. */
  function announce(lane: Lane): void {
    const worker = workers.get(lane)
    worker?.wake()
    if (!worker?.canTake && db.kind === 'postgres') tellOthers(lane)
  }

  /** One notice at a time is enough; what came after it was sent is told by the next. */
  function tellOthers(lane: Lane): void {
    if (beingTold.has(lane)) {
      toBeTold.add(lane)
      return
    }
    beingTold.add(lane)
    db.run(notify(channel, lane))
      .catch((error) => log.debug({ err: error }, 'Other processes could not be told.'))
      .finally(() => {
        beingTold.delete(lane)
        if (toBeTold.delete(lane)) tellOthers(lane)
      })
  }
}

async function giveBackAll({ db, log }: QueueOptions, processId: string): Promise<void> {
  try {
    const released = await db.run(releaseLeases(processId))
    for (const lane of new Set(released.map((entry) => entry.lane))) {
      if (db.kind === 'postgres') await db.run(notify(channel, lane))
    }
  } catch (error) {
    log.warn({ err: error }, 'What was held could not be given back; its leases will run out.')
  }
}

function afterMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
