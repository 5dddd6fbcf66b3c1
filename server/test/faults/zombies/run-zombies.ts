import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../../../src/storage/database.ts'
import { sql } from '../../../src/storage/statement.ts'
import { until } from '../../support/until.ts'
import { checkLedger, type LedgerFindings } from '../ledger/check-ledger.ts'
import { faultEnvironment, openBeside, ServiceProcess } from '../service-process.ts'
import { startWorld, wallClockMs } from '../world/world.ts'

export interface ZombiesReport extends LedgerFindings {
  standstills: number
  accepted: number
  /** Writes of a resumed process that fencing refused because its leases were gone. */
  fencedWrites: number
  /** Leases that another process took over. */
  takenOver: number
  /** Tasks that had ended and were seen in another state afterwards. */
  regressed: string[]
}

const leaseMs = 1_500

/**
 * Two processes work on one store under load; each in turn is paused for three times its lease and
 * then goes on as if nothing had happened.
 */
export async function runZombies(options: {
  environment: Record<string, string>
  standstills: number
  onProgress?(line: string): void
}): Promise<ZombiesReport> {
  const environment = {
    ...faultEnvironment,
    ...options.environment,
    TRAWL_LEASE: `${leaseMs}ms`,
    TRAWL_DELIVERY_SCHEDULE: `0s${',300ms'.repeat(30)}`,
  }
  await using world = await startWorld(faultEnvironment.TRAWL_CALLBACK_SECRET)
  await using first = new ServiceProcess(environment)
  await using second = new ServiceProcess(environment)
  for (const service of [first, second]) await service.start()
  await using store = await openBeside(environment)
  await using states = watchStates(store.db)
  await world.startCalling({
    serviceUrls: [first.url, second.url],
    apiKey: faultEnvironment.TRAWL_API_KEY,
    politeCount: 8,
    bluntCount: 0,
    pauseMs: 50,
    originDelayMs: 150,
  })
  const shakenAtMs: number[] = []
  for (let round = 0; round < options.standstills; round += 1) {
    const service = round % 2 === 0 ? first : second
    await pause(leaseMs)
    const stoodStillAtMs = wallClockMs()
    service.signal('SIGSTOP')
    await pause(3 * leaseMs)
    service.signal('SIGCONT')
    for (let atMs = stoodStillAtMs; atMs < wallClockMs() + leaseMs; atMs += 250) {
      shakenAtMs.push(atMs)
    }
    if ((round + 1) % 10 === 0) options.onProgress?.(`stood still ${round + 1} times`)
  }
  const accepted = await world.stopCalling()
  const isAtRest = async () => (await store.db.run(sql`select id from queue_entries`)).length === 0
  await until(isAtRest, { withinMs: 300_000 })
  const sumOf = async (name: string) => (await first.metric(name)) + (await second.metric(name))
  const { entries, arrivals } = await world.books()
  return {
    ...(await checkLedger(store.db, entries, arrivals, {
      deathsAtMs: shakenAtMs,
      outagesAtMs: [],
    })),
    standstills: options.standstills,
    accepted,
    fencedWrites: await sumOf('trawl_fenced_writes_total'),
    takenOver: await sumOf('trawl_lease_reclaims_total'),
    regressed: await states.listRegressed(),
  }
}

/** Polls all tasks: a task that has ended must keep its state. */
function watchStates(db: Database): AsyncDisposable & { listRegressed(): Promise<string[]> } {
  const ended = new Map<string, string>()
  const regressed = new Set<string>()
  let isOver = false
  const look = async () => {
    const tasks = await db.run(sql<{ id: string; state: string }>`select id, state from tasks`)
    for (const { id, state } of tasks) {
      const before = ended.get(id)
      if (before !== undefined && before !== state) regressed.add(`${id}: ${before}, then ${state}`)
      if (state !== 'open') ended.set(id, state)
    }
  }
  const watching = (async () => {
    while (!isOver) {
      await look()
      await pause(500)
    }
  })()
  return {
    async listRegressed() {
      await look()
      return [...regressed]
    },
    async [Symbol.asyncDispose]() {
      isOver = true
      await watching
    },
  }
}
