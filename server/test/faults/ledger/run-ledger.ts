import { setTimeout as pause } from 'node:timers/promises'
import { type CrashPoint, crashPoints, jobCrashPoints } from '../../../src/runtime/crash-point.ts'
import { until } from '../../support/until.ts'
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

/**
 * Submits tasks while the service is killed again and again, at random and at every named crash
 * point. Afterwards the records of callers and receivers are compared.
 */
export async function runLedger(options: LedgerOptions): Promise<LedgerReport> {
  const chance = seededChance(options.seed)
  await using peers = await startPeers({ chance: seededChance(options.seed + 1), callbackSecret })
  await using service = new KillableService({ ...options.environment, ...killableEnvironment })
  await service.start()
  const load = startLoad({
    ...peers,
    serviceUrl: () => service.url,
    apiKey,
    pauseMs: options.pauseMs,
    seed: options.seed,
  })
  const crashedAt = await attack(service, { ...options, crashPoints }, chance)
  if (!service.isRunning) await service.start()
  const deathsAtMs = [...service.deathsAtMs]
  await until(() => load.acceptedCount() >= options.tasksMin, { withinMs: 600_000 })
  await load.stop()
  options.onProgress?.(`${load.entries.length} accepted; waiting for the last to arrive`)
  const { drainMs } = await untilSettled(load.entries, peers.arrivals, options.isAtRest)
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

/** Dies at every named crash point in turn, then at random; returns the crash points it reached. */
export async function attack(
  service: KillableService,
  options: Pick<LedgerOptions, 'crashRounds' | 'randomKills' | 'killEveryMs' | 'onProgress'> & {
    crashPoints: readonly CrashPoint[]
  },
  chance: () => number,
): Promise<string[]> {
  const crashedAt: string[] = []
  for (let round = 1; round <= options.crashRounds; round += 1) {
    for (const point of options.crashPoints) {
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

/** The sweep of old results runs rarely, and jobs end rarely; every other point is reached many times a second. */
const timesBefore = (point: CrashPoint, round: number, chance: () => number): number =>
  point === 'during_retention' || jobCrashPoints.some((one) => one === point)
    ? 1
    : round + Math.floor(chance() * 20)
