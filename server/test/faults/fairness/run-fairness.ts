import { setTimeout as pause } from 'node:timers/promises'
import type { Lane } from '../../../src/domain/task/lane.ts'
import type { Database } from '../../../src/storage/database.ts'
import { sql } from '../../../src/storage/statement.ts'
import { until } from '../../support/until.ts'
import { percentile } from '../fault-stores.ts'
import { addAccount, faultEnvironment, openBeside, ServiceProcess } from '../service-process.ts'
import { startWorld, type World } from '../world/world.ts'
import type { SubmitOptions } from '../world/world-commands.ts'

export interface FairnessReport {
  /** Tasks of the large account that waited when the small one came. */
  waiting: number
  slotMs: number
  idleP95Ms: number
  besideP95Ms: number
  /** Tasks of the large account that ended before the last one of the small account. */
  passedBy: number
  /** Callbacks per second of the large account before and during the small one's tasks. */
  rateBefore: number
  rateBeside: number
  /** The small account's share of the work done in that time. */
  shareOfFew: number
}

export interface FairnessOptions {
  environment: Record<string, string>
  /** Which lane is saturated: slow origins for http, slow receivers for delivery. */
  lane: Lane & ('http' | 'delivery')
  manyCount: number
  /** How long each task occupies its slot. */
  slotMs: number
  idleRounds: number
  /** How long the large account's rate is measured. */
  rateMs: number
}

const fewCount = 20

/** Measures a small account beside a large one with many waiting tasks, and alone. */
export async function runFairness(options: FairnessOptions): Promise<FairnessReport> {
  const environment = { ...faultEnvironment, ...options.environment }
  await using world = await startWorld(faultEnvironment.TRAWL_CALLBACK_SECRET)
  await using service = new ServiceProcess(environment)
  await service.start()
  await using store = await openBeside(environment)
  const apiKeyOfFew = await addAccount(store, 'few')
  const submitFew = (prefix: string) =>
    world.submit({
      ...tasksOf(options, service),
      apiKey: apiKeyOfFew,
      prefix,
      count: fewCount,
      together: fewCount,
      receivers: world.receiverUrls.slice(-4),
    })

  const idleMs: number[] = []
  // The first round is the warm-up.
  for (let round = 0; round <= options.idleRounds; round += 1) {
    await submitFew(`idle${round}`)
    const latencies = await untilAllArrived(world, `idle${round}`)
    if (round > 0) idleMs.push(...latencies)
    // Slow receivers hold their slots until then; the next round must not wait for one.
    await pause(options.slotMs)
  }

  const waiting = await crowd(options, { world, service, environment, db: store.db })
  const countMany = () => world.countArrived('many')
  const rateOver = async (ms: number) => {
    const [before, startedAtMs] = [await countMany(), performance.now()]
    await pause(ms)
    return ((await countMany()) - before) / ((performance.now() - startedAtMs) / 1_000)
  }
  const rateBefore = await rateOver(options.rateMs)
  const besideRate = rateOver(options.rateMs)
  const accepted = await submitFew('few')
  const besideMs = await untilAllArrived(world, 'few')
  const rateBeside = await besideRate
  const passedBy = await world.countPassedBy('few', accepted)
  const ofMany = rateBeside * (options.rateMs / 1_000)
  return {
    waiting,
    slotMs: options.slotMs,
    idleP95Ms: percentile(idleMs, 0.95),
    besideP95Ms: percentile(besideMs, 0.95),
    passedBy: options.lane === 'http' ? passedBy.asked : passedBy.arrived,
    rateBefore,
    rateBeside,
    shareOfFew: fewCount / (fewCount + ofMany),
  }
}

const tasksOf = ({ lane, slotMs }: FairnessOptions, service: ServiceProcess) =>
  ({
    serviceUrl: service.url,
    originDelayMs: lane === 'http' ? slotMs : 0,
    receiverDelayMs: lane === 'delivery' ? slotMs : 0,
  }) satisfies Partial<SubmitOptions>

interface CrowdParts {
  world: World
  service: ServiceProcess
  environment: Record<string, string>
  db: Database
}

/**
 * Fills the lane with tasks of the large account; resolves with how many wait. A process that does not
 * work on the lane takes them, so that all are waiting when the service starts again, however slow the
 * machine is.
 */
async function crowd(options: FairnessOptions, parts: CrowdParts): Promise<number> {
  const { world, service, db } = parts
  const roles = options.lane === 'http' ? 'api' : 'api,worker'
  await service.end('SIGTERM')
  {
    await using filler = new ServiceProcess({ ...parts.environment, TRAWL_ROLES: roles })
    await filler.start()
    await fill(options, { world, service: filler, db })
  }
  await service.start()
  return await countIn(db, options.lane)
}

async function fill(
  options: FairnessOptions,
  { world, service, db }: Omit<CrowdParts, 'environment'>,
): Promise<void> {
  await world.submit({
    ...tasksOf(options, service),
    apiKey: faultEnvironment.TRAWL_API_KEY,
    prefix: 'many',
    count: options.manyCount,
    together: 16,
    receivers: world.receiverUrls.slice(0, 8),
  })
  // Deliveries are created by finished tasks.
  const isThrough = async () => options.lane === 'http' || (await countIn(db, 'http')) === 0
  await until(isThrough, { withinMs: 300_000 })
}

async function countIn(db: Database, lane: Lane): Promise<number> {
  const [counted] = await db.run(sql<{ total: number }>`
    select count(*) as total from queue_entries where lane = ${lane}`)
  return Number(counted?.total ?? 0)
}

async function untilAllArrived(world: World, prefix: string): Promise<number[]> {
  await until(async () => (await world.countArrived(prefix)) >= fewCount, { withinMs: 120_000 })
  return await world.latenciesMs(prefix)
}
