import { crashPoints } from '../../../src/runtime/crash-point.ts'
import type { Database } from '../../../src/storage/database.ts'
import { until } from '../../support/until.ts'
import { attack } from './attack.ts'
import { checkLedger, type LedgerFindings } from './check-ledger.ts'
import { apiKey, callbackSecret, KillableService, killableEnvironment } from './killable-service.ts'
import { startLoad } from './ledger-load.ts'
import { startPeers } from './ledger-peers.ts'
import { seededChance } from './seeded-chance.ts'
import { untilSettled } from './until-settled.ts'

export interface LedgerOptions {
  seed: number
  /** Settings that name the store. */
  environment: Record<string, string>
  /** The same store, opened beside the service. */
  db: Database
  tasksMin: number
  /** Pause between two submissions of each of the eight callers. */
  pauseMs: number
  randomKills: number
  /** Average time between two random kills. */
  killEveryMs: number
  /** How often the service dies at each named crash point. */
  crashRounds: number
  /** Whether no work is left; the service runs until then. */
  isAtRest?(): Promise<boolean>
  onProgress?(line: string): void
}

export interface LedgerReport extends LedgerFindings {
  seed: number
  acceptedCount: number
  arrivalsCount: number
  killCount: number
  /** How often the store did not respond for most of a lease. */
  outageCount: number
  crashedAt: string[]
  drainMs: number
}

// On a slow machine the callers wait too: otherwise the work grows faster than it can be done.
const outstandingMax = 100

/**
 * Submits tasks while the service is killed again and again, at random and at every named crash
 * point. Afterwards the records of callers and receivers are compared.
 */
export async function runLedger(options: LedgerOptions): Promise<LedgerReport> {
  const chance = seededChance(options.seed)
  await using peers = await startPeers({ chance: seededChance(options.seed + 1), callbackSecret })
  await using service = new KillableService({ ...options.environment, ...killableEnvironment })
  await service.start()
  await using load = startLoad({
    ...peers,
    serviceUrl: () => service.url,
    apiKey,
    pauseMs: options.pauseMs,
    seed: options.seed,
    outstandingMax,
  })
  const crashedAt = await attack(service, { ...options, crashPoints }, chance)
  if (!service.isRunning) await service.start()
  const deathsAtMs = [...service.deathsAtMs]
  await until(() => load.acceptedCount() >= options.tasksMin, { withinMs: 600_000 })
  await load.stop()
  options.onProgress?.(`${load.entries.length} accepted; waiting for the last to arrive`)
  const { drainMs } = await untilSettled(load.entries, peers, options.isAtRest)
  return {
    ...(await checkLedger(options.db, load.entries, peers.arrivals, { ...service, deathsAtMs })),
    seed: options.seed,
    acceptedCount: load.entries.length,
    arrivalsCount: peers.arrivals.length,
    killCount: deathsAtMs.length,
    outageCount: service.outagesAtMs.length,
    crashedAt,
    drainMs: Math.round(drainMs),
  }
}
