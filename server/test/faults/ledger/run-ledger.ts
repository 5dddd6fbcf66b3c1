import { setTimeout as pause } from 'node:timers/promises'
import { type CrashPoint, crashPoints } from '../../../src/runtime/crash-point.ts'
import { until } from '../../support/until.ts'
import { checkLedger, type LedgerFindings } from './check-ledger.ts'
import { startLoad } from './ledger-load.ts'
import { startPeers } from './ledger-peers.ts'
import { seededChance } from './seeded-chance.ts'
import {
  apiKey,
  callbackSecret,
  environmentUnderFire,
  ServiceUnderFire,
} from './service-under-fire.ts'
import { untilSettled } from './until-settled.ts'

export interface LedgerOptions {
  seed: number
  /** What the service needs to be told about its store. */
  environment: Record<string, string>
  tasksMin: number
  /** Between two submissions of each of the eight callers. */
  pauseMs: number
  randomKills: number
  /** On average, between two random kills. */
  killEveryMs: number
  /** How often each named moment is died at. */
  crashRounds: number
  /** Whether nothing is left to be done; the service goes on until it is so. */
  isAtRest?(): Promise<boolean>
  onProgress?(line: string): void
}

export interface LedgerReport extends LedgerFindings {
  seed: number
  acceptedCount: number
  arrivalsCount: number
  killCount: number
  /** How often the store did not answer for most of a lease. */
  outageCount: number
  crashedAt: string[]
  drainMs: number
}

/**
 * Tasks are submitted while the service is killed again and again, at random and at every named
 * moment. Afterwards the books of callers and receiver are compared.
 */
export async function runLedger(options: LedgerOptions): Promise<LedgerReport> {
  const chance = seededChance(options.seed)
  await using peers = await startPeers({ chance: seededChance(options.seed + 1), callbackSecret })
  await using service = new ServiceUnderFire({ ...options.environment, ...environmentUnderFire })
  await service.start()
  const load = startLoad({
    ...peers,
    serviceUrl: () => service.url,
    apiKey,
    pauseMs: options.pauseMs,
    seed: options.seed,
  })
  const crashedAt = await attack(service, options, chance)
  if (!service.isRunning) await service.start()
  const deathsAtMs = [...service.deathsAtMs]
  await until(() => load.acceptedCount() >= options.tasksMin, { withinMs: 600_000 })
  await load.stop()
  options.onProgress?.(`${load.entries.length} accepted; waiting for the last to arrive`)
  const { drainMs } = await untilSettled(load.entries, peers.arrivals)
  // What was told twice may still be waiting for a receiver that hangs.
  if (options.isAtRest) await until(options.isAtRest)
  return {
    ...checkLedger(load.entries, peers.arrivals, { ...service, deathsAtMs }),
    seed: options.seed,
    acceptedCount: load.entries.length,
    arrivalsCount: peers.arrivals.length,
    killCount: deathsAtMs.length,
    outageCount: service.outagesAtMs.length,
    crashedAt,
    drainMs: Math.round(drainMs),
  }
}

/** Every named moment in turn, then the random kills; the answer says where it died by itself. */
async function attack(
  service: ServiceUnderFire,
  options: LedgerOptions,
  chance: () => number,
): Promise<string[]> {
  const crashedAt: string[] = []
  for (let round = 1; round <= options.crashRounds; round += 1) {
    for (const point of crashPoints) {
      await service.kill()
      await service.start({ point, times: timesBefore(point, round, chance) })
      if (await service.diesWithin(20_000)) crashedAt.push(point)
    }
    options.onProgress?.(`round ${round} of the named moments is through`)
  }
  for (let kill = 1; kill <= options.randomKills; kill += 1) {
    if (!service.isRunning) await service.start()
    await pause(-Math.log(1 - chance()) * options.killEveryMs)
    await service.kill()
    if (kill % 20 === 0) options.onProgress?.(`${kill} random kills`)
  }
  return crashedAt
}

/** The sweep of old results comes by rarely; everything else many times a second. */
const timesBefore = (point: CrashPoint, round: number, chance: () => number): number =>
  point === 'during_retention' ? 1 : round + Math.floor(chance() * 20)
