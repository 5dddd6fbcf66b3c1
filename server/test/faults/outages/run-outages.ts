import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../../../src/storage/database.ts'
import { sql } from '../../../src/storage/statement.ts'
import { until } from '../../support/until.ts'
import { checkLedger, type LedgerFindings } from '../ledger/check-ledger.ts'
import {
  apiKey,
  callbackSecret,
  KillableService,
  killableEnvironment,
} from '../ledger/killable-service.ts'
import { type LedgerLoad, type LedgerResponse, startLoad } from '../ledger/ledger-load.ts'
import { type LedgerArrival, type LedgerPeers, startPeers } from '../ledger/ledger-peers.ts'
import { seededChance } from '../ledger/seeded-chance.ts'
import { untilSettled } from '../ledger/until-settled.ts'
import { peakMib } from '../process-facts.ts'
import { describeOutage, type OutageFindings, type OutageTimes } from './describe-outage.ts'

export interface Outage {
  readonly name: string
  readonly lastsMs: number
  /** Whether nothing can be written during the whole outage. */
  readonly isTotal: boolean
  /** Resolves when it is in force. */
  begin(service: KillableService): Promise<void>
  /** Resolves when the store is ready again. */
  end(service: KillableService): Promise<void>
}

/** An outage that needs nothing of the service. */
export interface StoreOutage extends Outage {
  begin(): Promise<void>
  end(): Promise<void>
}

export interface OutagesOptions {
  seed: number
  environment: Record<string, string>
  outages: readonly Outage[]
  /** Pause between two submissions of each of the eight callers. */
  pauseMs: number
  /** A direct connection to the store that bypasses the service and the outage. */
  db: Database
  onProgress?(line: string): void
}

export interface OutagesReport extends LedgerFindings {
  seed: number
  outages: OutageFindings[]
  acceptedCount: number
  /** Accepted tasks that are not in the store. */
  withoutRow: string[]
  /** How often the service died; no outage justifies that. */
  deathCount: number
  peakMemoryMib: number
}

// Enough accepted tasks after an outage to show that work goes on.
const acceptedAgainMin = 20
const resumedWithinMs = 60_000

/** Submits tasks during repeated store outages, then compares the ledger. */
export async function runOutages(options: OutagesOptions): Promise<OutagesReport> {
  const { db } = options
  await using peers = await startPeers({ chance: seededChance(options.seed), callbackSecret })
  await using service = new KillableService({ ...options.environment, ...killableEnvironment })
  await service.start()
  const answers: LedgerResponse[] = []
  await using load = startLoad({
    ...peers,
    serviceUrl: () => service.url,
    apiKey,
    pauseMs: options.pauseMs,
    seed: options.seed,
    onAnswer: (answer) => void answers.push(answer),
  })
  const scene = { service, load, answers, peers }
  await untilAcceptedAgain(load)
  const times: OutageTimes[] = []
  for (const outage of options.outages) {
    times.push(await undergo(outage, scene))
    options.onProgress?.(`${times.length} of ${options.outages.length} outages: ${outage.name}`)
  }
  await load.stop()
  const isAtRest = async () => (await db.run(sql`select id from queue_entries`)).length === 0
  await untilSettled(load.entries, peers, isAtRest)
  const rows = await db.run(sql<{ id: string }>`select id from tasks`)
  const stored = new Set(rows.map(({ id }) => id))
  const outagesAtMs = [...service.outagesAtMs, ...times.flatMap(secondsOf)]
  return {
    ...(await checkLedger(db, load.entries, peers.arrivals, { deathsAtMs: [], outagesAtMs })),
    seed: options.seed,
    outages: times.map((one) => describeOutage(one, answers, peers.arrivals)),
    acceptedCount: load.acceptedCount(),
    withoutRow: load.entries.flatMap(({ requestId = '' }) =>
      stored.has(requestId) ? [] : [requestId],
    ),
    deathCount: service.deathsAtMs.length,
    peakMemoryMib: Math.round(peakMib(Number(service.pid))),
  }
}

interface Scene {
  service: KillableService
  load: LedgerLoad
  answers: readonly LedgerResponse[]
  peers: LedgerPeers
}

async function undergo(outage: Outage, scene: Scene): Promise<OutageTimes> {
  const { service, load, answers, peers } = scene
  const { name, isTotal, lastsMs } = outage
  const begunAtMs = performance.now()
  await outage.begin(service)
  const inForceAtMs = performance.now()
  await pause(lastsMs)
  const readyzStatus = await askReadyz(service.url)
  const endedAtMs = performance.now()
  await outage.end(service)
  const readyAtMs = performance.now()
  const isAcceptedAgain = (one: LedgerResponse) => one.status === 202 && one.endedAtMs > readyAtMs
  const isDeliveredAgain = ({ atMs }: LedgerArrival) => atMs > readyAtMs
  await until(() => answers.some(isAcceptedAgain) && peers.arrivals.some(isDeliveredAgain), {
    withinMs: resumedWithinMs,
  })
  await untilAcceptedAgain(load)
  return { name, isTotal, begunAtMs, inForceAtMs, endedAtMs, readyAtMs, readyzStatus }
}

async function untilAcceptedAgain(load: LedgerLoad): Promise<void> {
  const before = load.acceptedCount()
  await until(() => load.acceptedCount() >= before + acceptedAgainMin, {
    withinMs: resumedWithinMs,
  })
}

async function askReadyz(url: string): Promise<number> {
  const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(10_000) })
  await answer.arrayBuffer()
  return answer.status
}

/** Every delivery answered during an outage may be repeated. */
function secondsOf({ begunAtMs, readyAtMs }: OutageTimes): number[] {
  const seconds = Math.ceil((readyAtMs - begunAtMs) / 1_000)
  return Array.from({ length: seconds + 1 }, (_, second) => begunAtMs + second * 1_000)
}
