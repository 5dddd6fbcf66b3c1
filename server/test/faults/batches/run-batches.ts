import type { CrashPoint } from '../../../src/runtime/crash-point.ts'
import type { Database } from '../../../src/storage/database.ts'
import { sql } from '../../../src/storage/statement.ts'
import { until } from '../../support/until.ts'
import { attack } from '../ledger/attack.ts'
import {
  apiKey,
  callbackSecret,
  KillableService,
  killableEnvironment,
} from '../ledger/killable-service.ts'
import { seededChance } from '../ledger/seeded-chance.ts'
import { startBatchLoad } from './batch-load.ts'
import { type BatchPeers, isBroken, startBatchPeers } from './batch-peers.ts'

export interface BatchesOptions {
  seed: number
  /** Settings that name the store. */
  environment: Record<string, string>
  /** The same store, opened beside the service. */
  db: Database
  batchesMin: number
  /** At most, between two batches of each of the four callers. */
  pauseMsMax: number
  /** Where the service dies, `crashRounds` times each. */
  crashPoints: readonly CrashPoint[]
  randomKills: number
  killEveryMs: number
  crashRounds: number
  onProgress?(line: string): void
}

/** Each list should be empty. */
export interface BatchesReport {
  seed: number
  batchCount: number
  retriedCount: number
  cancelledCount: number
  killCount: number
  crashedAt: string[]
  /** Accepted batches that are not in the store. */
  lost: string[]
  /** Batches whose counts are not those of their pages. */
  miscounted: string[]
  /** Batches with more or fewer events than ends. */
  misreported: string[]
  /** Events that nobody acknowledged, or that were not of the store. */
  undelivered: string[]
  faulty: string[]
  /** Pages that failed although the origin answers them. */
  failed: string[]
  /** Pages that were fetched again although no process died or lost the store meanwhile. */
  refetched: string[]
  refetchedAfterKill: number
}

/** Runs batches while the service is killed at the crash points and at random, then audits the store. */
export async function runBatches(options: BatchesOptions): Promise<BatchesReport> {
  const { seed, db } = options
  await using peers = await startBatchPeers({ chance: seededChance(seed + 1), callbackSecret })
  const environment = { ...options.environment, ...killableEnvironment }
  await using service = new KillableService(environment)
  await service.start()
  const serviceUrl = () => service.url
  await using load = startBatchLoad({
    ...peers,
    serviceUrl,
    apiKey,
    chance: seededChance(seed + 2),
    pauseMsMax: options.pauseMsMax,
  })
  const crashedAt = await attack(service, options, seededChance(seed))
  if (!service.isRunning) await service.start()
  const deathsAtMs = [...service.deathsAtMs]
  await until(() => load.jobIds.length >= options.batchesMin, { withinMs: 600_000 })
  await load.stop()
  options.onProgress?.(`${load.jobIds.length} batches accepted; waiting for the last to end`)
  // The jobs first: the end of the last one may still add an event to the queue.
  const isAtRest = async () =>
    (await db.run(sql`select id from jobs where completed_at_ms is null limit 1`)).length === 0 &&
    (await db.run(sql`select id from queue_entries limit 1`)).length === 0
  await until(isAtRest, { withinMs: 120_000 })
  const jobs = await db.run(listJobs())
  const stored = new Set(jobs.map(({ id }) => id))
  return {
    seed,
    batchCount: load.jobIds.length,
    retriedCount: jobs.filter(({ retries }) => retries > 0).length,
    cancelledCount: jobs.filter(({ state }) => state === 'cancelled').length,
    killCount: deathsAtMs.length,
    crashedAt,
    lost: load.jobIds.filter((id) => !stored.has(id)),
    miscounted: (await db.run(listMiscounted())).map(({ id }) => id),
    misreported: jobs
      .filter(({ retries, events, delivered }) => events !== retries + 1 || delivered !== events)
      .map(({ id }) => id),
    undelivered: await listUndelivered(db, peers),
    faulty: peers.arrivals.flatMap(({ jobId, fault }) => (fault ? [`${jobId}: ${fault}`] : [])),
    failed: (await db.run(listFailed())).flatMap(({ url, error_code }) =>
      isBroken(new URL(url).pathname) ? [] : [`${url}: ${error_code}`],
    ),
    ...findRefetched(peers, [...deathsAtMs, ...service.outagesAtMs]),
  }
}

const listJobs = () => sql<{
  id: string
  state: string
  retries: number
  events: number
  delivered: number
}>`
  select id, state, retries,
         (select count(*) from deliveries where deliveries.job_id = jobs.id) as events,
         (select count(*) from deliveries
          where deliveries.job_id = jobs.id and deliveries.state = 'delivered') as delivered
  from jobs`

const countOf = (state: string) =>
  sql`(select count(*) from tasks where tasks.job_id = jobs.id and tasks.state = ${state})`

const listMiscounted = () => sql<{ id: string }>`
  select id from jobs
  where open_count <> 0 or completed_count <> ${countOf('completed')}
     or failed_count <> ${countOf('failed')} or cancelled_count <> ${countOf('cancelled')}
     or tokens <> completed_count
     or total_count <> (select count(*) from tasks where tasks.job_id = jobs.id)`

async function listUndelivered(db: Database, { arrivals }: BatchPeers): Promise<string[]> {
  const acknowledged = new Set(
    arrivals.filter((one) => one.isAcknowledged).map(({ deliveryId }) => deliveryId),
  )
  const stored = await db.run(
    sql<{ id: string }>`select id from deliveries where job_id is not null`,
  )
  const known = new Set(stored.map(({ id }) => id))
  return [
    ...stored.flatMap(({ id }) => (acknowledged.has(id) ? [] : [id])),
    ...arrivals.flatMap(({ deliveryId }) => (known.has(deliveryId) ? [] : [deliveryId])),
  ]
}

const listFailed = () => sql<{ url: string; error_code: string }>`
  select url, error_code from tasks where state = 'failed'`

/** A request may arrive a little after the death of the process that sent it was seen. */
const seenLateMsMax = 2_000

function findRefetched({ requestedAtMs }: BatchPeers, mishapsAtMs: readonly number[]) {
  const again = [...requestedAtMs].filter(([path, times]) => times.length > 1 && !isBroken(path))
  const isExplained = (times: readonly number[]) =>
    times
      .slice(1)
      .every((atMs, index) =>
        mishapsAtMs.some(
          (mishapAtMs) => mishapAtMs > (times[index] ?? 0) - seenLateMsMax && mishapAtMs < atMs,
        ),
      )
  return {
    refetched: again.filter(([, times]) => !isExplained(times)).map(([path]) => path),
    refetchedAfterKill: again.filter(([, times]) => isExplained(times)).length,
  }
}
