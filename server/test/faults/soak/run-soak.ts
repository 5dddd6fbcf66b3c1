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

/** One look at the service from outside. */
export interface SoakSample {
  memoryMib: number
  minifiersMib: number
  files: number
  threads: number
  storeMib: number
}

export interface SoakReport extends SoakCounts {
  samples: SoakSample[]
  /** Callbacks and events that never came. */
  missing: { callbacks: number; events: number }
}

const environment = {
  // Everything is soon over and soon swept, so that the store comes to a size and stays there.
  TRAWL_LEASE: '5s',
  TRAWL_RESULT_RETENTION: '10s',
  TRAWL_TASK_RETENTION: '15s',
  TRAWL_DELIVERY_SCHEDULE: '0s,1s,2s',
}
const toldWithinMs = 60_000

/** A mixed load for so long, and samples of what the service takes. */
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
    callbacks: promised.callbacks.filter((id) => !peers.told.callbacks.has(id)).length,
    events: promised.events.filter((id) => !peers.told.events.has(id)).length,
  })
  await until(() => count().callbacks + count().events === 0, { withinMs: toldWithinMs }).catch(
    () => undefined,
  )
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
