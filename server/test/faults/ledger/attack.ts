import { setTimeout as pause } from 'node:timers/promises'
import { type CrashPoint, jobCrashPoints } from '../../../src/runtime/crash-point.ts'
import type { Database } from '../../../src/storage/database.ts'
import { sql } from '../../../src/storage/statement.ts'
import { until } from '../../support/until.ts'
import type { KillableService } from './killable-service.ts'

interface AttackOptions {
  /** The store of the service. */
  db: Database
  crashPoints: readonly CrashPoint[]
  /** How often the service dies at each of them. */
  crashRounds: number
  randomKills: number
  /** Average time between two random kills. */
  killEveryMs: number
  onProgress?(line: string): void
}

/** Dies at every named crash point in turn, then at random; returns the crash points it reached. */
export async function attack(
  service: KillableService,
  options: AttackOptions,
  chance: () => number,
): Promise<string[]> {
  const crashedAt: string[] = []
  for (let round = 1; round <= options.crashRounds; round += 1) {
    for (const point of options.crashPoints) {
      await untilNobodyIsAlone(service, options.db)
      service.dieAt(point, timesBefore(point, round, chance))
      if (await service.diesWithin(20_000)) crashedAt.push(point)
    }
    options.onProgress?.(`round ${round} of the named moments is through`)
  }
  for (let kill = 1; kill <= options.randomKills; kill += 1) {
    if (!service.isRunning) await service.start()
    await pause(-Math.log(1 - chance()) * options.killEveryMs)
    await untilNobodyIsAlone(service, options.db)
    await service.kill()
    if (kill % 20 === 0) options.onProgress?.(`${kill} random kills`)
  }
  return crashedAt
}

/**
 * A task that was held at two kills runs alone, and fails if the process dies once more: it is taken for
 * the cause. That promise has tests of its own; here no page may fail, so the attack lets it end first.
 */
async function untilNobodyIsAlone(service: KillableService, db: Database): Promise<void> {
  if (!service.isRunning) await service.start()
  const isSpared = async () =>
    (await db.run(listHeldTwice(service.startedId)).catch(() => [undefined])).length === 0
  await until(isSpared, { withinMs: 120_000 })
}

/** Also what was held once before and is still held by a process that died. */
const listHeldTwice = (startedId: string) => sql`
  select id from queue_entries
  where lane <> 'delivery'
    and (crashes >= 2 or (crashes = 1 and state = 'leased' and leased_by < ${startedId}))
  limit 1`

/** The sweep of old results runs rarely, and jobs end rarely; every other point is reached many times a second. */
const timesBefore = (point: CrashPoint, round: number, chance: () => number): number =>
  point === 'during_retention' || jobCrashPoints.some((one) => one === point)
    ? 1
    : round + Math.floor(chance() * 20)
