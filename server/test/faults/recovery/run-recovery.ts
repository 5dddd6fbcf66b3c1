import type { AccountStore } from '../../../src/accounts/accounts.ts'
import type { Database } from '../../../src/storage/database.ts'
import { sql } from '../../../src/storage/statement.ts'
import { getTaskToWorkOn } from '../../../src/storage/tables/tasks.ts'
import { until } from '../../support/until.ts'
import { faultEnvironment, openBeside, ServiceProcess } from '../service-process.ts'
import { startWorld, type World } from '../world/world.ts'

export interface RecoveryReport {
  queued: number
  /** Tasks that were running when the process was killed. */
  orphans: number
  /** From the start of the next process until `/readyz` was 200. */
  readyMs: number
  /** From the kill until the last orphan was queued again. */
  returnedMs: number
  /** From the kill until the first orphan was fetched again. */
  runAgainMs: number
  /** Orphans that are neither queued nor ended. */
  lost: number
}

const slots = 64

/** Kills a fully loaded service with a long queue and starts it again. */
export async function runRecovery(options: {
  environment: Record<string, string>
  queued: number
}): Promise<RecoveryReport> {
  const environment = { ...faultEnvironment, ...options.environment }
  await using world = await startWorld(faultEnvironment.TRAWL_CALLBACK_SECRET)
  await using service = new ServiceProcess(environment)
  await service.start()
  await using store = await openBeside(environment)
  const { db } = store
  await submit(world, service, { prefix: 'template', count: 1, originDelayMs: 0 })
  await until(async () => (await world.countArrived('template')) === 1)
  await submit(world, service, { prefix: 'orphan', count: slots, originDelayMs: 50_000 })
  await until(async () => (await world.countAsked('orphan')) >= slots)
  const [holder] = await db.run(sql<{ leased_by: string }>`
    select distinct leased_by from queue_entries where state = 'leased'`)
  const deadProcess = holder?.leased_by ?? ''
  await queueCopies(store, options.queued)

  const askedBefore = await world.countAsked('orphan')
  const killedAtMs = performance.now()
  await service.end('SIGKILL')
  const orphanIds = await db.run(sql<{ id: string }>`
    select id from queue_entries where leased_by = ${deadProcess}`)
  const readyMs = await service.start()
  const sinceKilledMs = () => performance.now() - killedAtMs
  const runningAgain = until(async () => (await world.countAsked('orphan')) > askedBefore, {
    withinMs: 90_000,
  }).then(sinceKilledMs)
  const areAllReturned = async () =>
    (await db.run(sql`select id from queue_entries where leased_by = ${deadProcess}`)).length === 0
  await until(areAllReturned, { withinMs: 90_000 })
  const returnedMs = sinceKilledMs()
  return {
    queued: options.queued,
    orphans: orphanIds.length,
    readyMs,
    returnedMs,
    runAgainMs: await runningAgain,
    lost: await countLost(db, orphanIds),
  }
}

async function submit(
  world: World,
  service: ServiceProcess,
  what: { prefix: string; count: number; originDelayMs: number },
): Promise<void> {
  await world.submit({
    serviceUrl: service.url,
    apiKey: faultEnvironment.TRAWL_API_KEY,
    together: 16,
    receiverDelayMs: 0,
    receivers: world.receiverUrls,
    ...what,
  })
}

const copiedAtOnce = 5_000

/** Inserts copies of the first task directly into the store, as plain text. */
async function queueCopies({ db, sealer }: AccountStore, count: number): Promise<void> {
  const [row] = await db.run(sql<{ id: string }>`
    select id from tasks where state = 'completed' limit 1`)
  const [template] = await db.run(getTaskToWorkOn(sealer, row?.id ?? ''))
  const request = JSON.stringify(template?.request)
  for (let from = 1; from <= count; from += copiedAtOnce) {
    const to = Math.min(from + copiedAtOnce - 1, count)
    await db.transaction([
      sql`
        with recursive numbers(n) as (
          select cast(${from} as bigint) as n union all select n + 1 from numbers where n < ${to}
        )
        insert into tasks (id, account_id, kind, url, callback_url, callback_on_failure, request,
                           state, attempts, attempt_log, created_at_ms)
        select '00000000-0000-7000-8000-' || cast(n + 100000000000 as text), account_id, kind, url,
               ${template?.callbackUrl ?? ''}, callback_on_failure, ${request}, 'open', 0, '[]',
               created_at_ms
        from numbers
        cross join (select * from tasks where id = ${row?.id ?? ''}) as template`,
      sql`
        with recursive numbers(n) as (
          select cast(${from} as bigint) as n union all select n + 1 from numbers where n < ${to}
        )
        insert into queue_entries (id, lane, work_id, account_id, flow, state, fence, crashes)
        select id, 'http', id, account_id, account_id || '//', 'ready', 0, 0
        from numbers
        join tasks on id = '00000000-0000-7000-8000-' || cast(n + 100000000000 as text)`,
    ])
  }
}

async function countLost(db: Database, orphans: readonly { id: string }[]): Promise<number> {
  const known = await db.run(sql<{ id: string }>`
    select id from queue_entries union select id from tasks where state <> 'open'`)
  const ids = new Set(known.map(({ id }) => id))
  return orphans.filter(({ id }) => !ids.has(id)).length
}
