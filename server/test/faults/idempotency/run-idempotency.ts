import { sql } from '../../../src/storage/statement.ts'
import { until } from '../../support/until.ts'
import { KillableService } from '../ledger/killable-service.ts'
import { faultEnvironment, openBeside } from '../service-process.ts'
import { startWorld } from '../world/world.ts'

export interface IdempotencyReport {
  answers: number
  statuses: number[]
  /** Distinct task ids that callers got. */
  ids: number
  /** Responses that were not marked as replayed. */
  firstAnswers: number
  tasks: number
  callbacks: number
  kills: number
}

const key = 'the-same-key'

/**
 * Sends the same request under the same key many times at once. With `dies`, the process that
 * accepts it is killed after the commit and before any response; callers retry until they get one.
 */
export async function runIdempotency(options: {
  environment: Record<string, string>
  duplicates: number
  processCount: number
  dies: boolean
}): Promise<IdempotencyReport> {
  const environment = { ...faultEnvironment, TRAWL_LEASE: '2s', ...options.environment }
  await using world = await startWorld(faultEnvironment.TRAWL_CALLBACK_SECRET)
  await using services = new AsyncDisposableStack()
  const started = Array.from({ length: options.processCount }, () =>
    services.use(new KillableService(environment)),
  )
  // The first start gets a port, which a process that dies at its first commit needs to have.
  for (const service of started) await service.start()
  const [mortal] = started
  if (options.dies && mortal) {
    await mortal.kill()
    await mortal.start({ point: 'after_accept_commit', times: 1 })
  }
  const killsBefore = mortal?.deathsAtMs.length ?? 0
  const sending = world.sendDuplicates({
    serviceUrls: started.map(({ url }) => url),
    apiKey: faultEnvironment.TRAWL_API_KEY,
    key,
    count: options.duplicates,
  })
  // If another process accepted the request, this one does not die, and that is fine.
  if (options.dies && (await mortal?.diesWithin(options.processCount > 1 ? 5_000 : 30_000))) {
    await mortal?.start()
  }
  const answers = await sending
  const kills = (mortal?.deathsAtMs.length ?? 0) - killsBefore
  await using store = await openBeside(environment)
  const isAtRest = async () => (await store.db.run(sql`select id from queue_entries`)).length === 0
  await until(isAtRest)
  return {
    answers: answers.length,
    statuses: [...new Set(answers.map(({ status }) => status))],
    ids: new Set(answers.map(({ requestId }) => requestId)).size,
    firstAnswers: answers.filter(({ isReplay }) => !isReplay).length,
    tasks: (await store.db.run(sql`select id from tasks`)).length,
    callbacks: await world.countArrived(key),
    kills,
  }
}
