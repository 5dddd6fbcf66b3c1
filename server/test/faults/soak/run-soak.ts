import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from '../../../src/storage/statement.ts'
import { until } from '../../support/until.ts'
import { type FaultService, startFaultService } from '../fault-service.ts'
import { childrenMib, openFileCount, residentMib, threadCount } from '../process-facts.ts'
import { runSoakLoad, type SoakCounts } from './soak-load.ts'
import { startSoakPeers } from './soak-peers.ts'

export interface SoakOptions {
  databaseUrl?: string | undefined
  ms: number
  perSecond: number
  sampleEveryMs: number
}

/** One sample of the service from outside. */
export interface SoakSample {
  memoryMib: number
  minifiersMib: number
  files: number
  threads: number
  storeMib: number
}

export interface SoakReport extends SoakCounts {
  samples: SoakSample[]
  /** Callbacks and events that never arrived. */
  missing: { callbacks: number; events: number }
}

const environment = {
  // Short retention, so that the store reaches its final size early and stays there.
  TRAWL_LEASE: '5s',
  TRAWL_RESULT_RETENTION: '10s',
  TRAWL_TASK_RETENTION: '15s',
  TRAWL_DELIVERY_SCHEDULE: '0s,1s,2s',
}
const deliveredWithinMs = 60_000

/** Runs a mixed load and samples the memory, files and store size of the service. */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  await using resources = new AsyncDisposableStack()
  const peers = resources.use(await startSoakPeers())
  const service = await startFaultService(resources, { ...options, environment })
  const caller = await service.createAccount('soak')
  await caller.call('POST /v1/webhooks', {
    url: peers.webhookUrl,
    event_type: 'extract_completed',
  })
  const ending = new AbortController()
  const sampling = takeSamples(service, options.sampleEveryMs, ending.signal)
  const counts = await runSoakLoad(caller, peers, options)
  ending.abort()
  const samples = await sampling

  const { promised } = counts
  const count = () => ({
    callbacks: promised.callbacks.filter((id) => !peers.delivered.callbacks.has(id)).length,
    events: promised.events.filter((id) => !peers.delivered.events.has(id)).length,
  })
  await until(() => count().callbacks + count().events === 0, {
    withinMs: deliveredWithinMs,
  }).catch(() => undefined)
  return { ...counts, samples, missing: count() }
}

async function takeSamples(
  service: FaultService,
  everyMs: number,
  signal: AbortSignal,
): Promise<SoakSample[]> {
  const samples: SoakSample[] = []
  const { pid } = service
  while (!signal.aborted) {
    samples.push({
      memoryMib: residentMib(pid),
      minifiersMib: childrenMib(pid),
      files: openFileCount(pid),
      threads: threadCount(pid),
      storeMib: (await storeBytes(service)) / 2 ** 20,
    })
    await pause(everyMs, undefined, { signal }).catch(() => undefined)
  }
  return samples
}

async function storeBytes({ db, dataDir }: FaultService): Promise<number> {
  if (db.kind === 'postgres') {
    const [size] = await db.run(sql<{ bytes: number }>`
      select pg_database_size(current_database()) as bytes`)
    return Number(size?.bytes)
  }
  return readdirSync(dataDir)
    .filter((name) => name.includes('.db') || name.includes('sqlite'))
    .reduce((sum, name) => sum + statSync(join(dataDir, name)).size, 0)
}
