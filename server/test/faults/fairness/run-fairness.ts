import { setTimeout as pause } from 'node:timers/promises'
import type { Lane } from '../../../src/domain/task/lane.ts'
import type { Database } from '../../../src/storage/database.ts'
import { sql } from '../../../src/storage/statement.ts'
import { until } from '../../support/until.ts'
import { percentile } from '../fault-stores.ts'
import { addAccount, faultEnvironment, openBeside, ServiceProcess } from '../service-process.ts'
import type { SubmitOptions } from '../world/questions.ts'
import { startWorld, type World } from '../world/world.ts'

export interface FairnessReport {
  /** What the account with many had waiting when the other came. */
  waiting: number
  slotMs: number
  idleP95Ms: number
  besideP95Ms: number
  /** How many of the account with many came before the last of the other, once all were accepted. */
  passedBy: number
  /** Of the account with many, callbacks a second before and while the other was there. */
  rateBefore: number
  rateBeside: number
  /** Of what was done in that time, what was the other's. */
  shareOfFew: number
}

export interface FairnessOptions {
  environment: Record<string, string>
  /** Where it is crowded: origins are slow, or receivers are. */
  lane: Lane & ('http' | 'delivery')
  manyCount: number
  /** How long each takes its slot. */
  slotMs: number
  idleRounds: number
  /** How long the rate of the account with many is looked at. */
  rateMs: number
}

const fewCount = 20

/** An account has many waiting, then another comes with few; and the same without the first. */
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
  // The first round is spent on warming up.
  for (let round = 0; round <= options.idleRounds; round += 1) {
    await submitFew(`idle${round}`)
    const latencies = await untilAllArrived(world, `idle${round}`)
    if (round > 0) idleMs.push(...latencies)
    // A slow receiver has them until then; the next are not to wait for a slot there.
    await pause(options.slotMs)
  }

  const waiting = await crowd(options, { world, service, db: store.db })
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

/** Fills the lane for the account with many; resolves with how many wait in it. */
async function crowd(
  options: FairnessOptions,
  { world, service, db }: { world: World; service: ServiceProcess; db: Database },
): Promise<number> {
  await world.submit({
    ...tasksOf(options, service),
    apiKey: faultEnvironment.TRAWL_API_KEY,
    prefix: 'many',
    count: options.manyCount,
    together: 16,
    receivers: world.receiverUrls.slice(0, 8),
  })
  const countIn = async (lane: Lane) => {
    const [counted] = await db.run(sql<{ total: number }>`
      select count(*) as total from queue_entries where lane = ${lane}`)
    return Number(counted?.total ?? 0)
  }
  // Deliveries come from tasks that are through.
  const isThrough = async () => options.lane === 'http' || (await countIn('http')) === 0
  await until(isThrough, { withinMs: 300_000 })
  return await countIn(options.lane)
}

async function untilAllArrived(world: World, prefix: string): Promise<number[]> {
  await until(async () => (await world.countArrived(prefix)) >= fewCount, { withinMs: 120_000 })
  return await world.latenciesMs(prefix)
}
