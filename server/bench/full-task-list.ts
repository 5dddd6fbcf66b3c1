import { randomUUID } from 'node:crypto'
import { loadConfig } from '../src/config.ts'
import { defaultScrapeOptions } from '../src/domain/scrape/scrape-options.ts'
import { createLog } from '../src/runtime/log.ts'
import { sql } from '../src/storage/statement.ts'
import { insertTasks } from '../src/storage/tables/tasks.ts'
import { openStore } from '../src/wiring/open-store.ts'
import { startProgram, stopProgram } from './program.ts'

export const storedTaskCount = 100_000
export const hostCount = 50
const rowsAtOnce = 500
const spacingMs = 1_000

/** Fills a store with ended tasks of its first account, encrypted as the service writes them. */
export async function fillTaskList(environment: Record<string, string>): Promise<void> {
  // Its first start makes the account.
  await stopProgram(await startProgram(['../src/cli.ts', 'serve'], environment))
  const { config } = loadConfig({}, environment, environment['TRAWL_DATA_DIR'] ?? '')
  const { db, sealer } = await openStore(config, createLog({ level: 'silent', isPretty: false }))
  await using _ = db
  const [account] = await db.run(sql<{ id: string }>`select id from accounts`)
  if (!account) throw new Error('The store has no account.')
  const firstMs = Date.now() - storedTaskCount * spacingMs
  for (let start = 0; start < storedTaskCount; start += rowsAtOnce) {
    const tasks = Array.from({ length: rowsAtOnce }, (_, index) => {
      const number = start + index
      return {
        id: randomUUID(),
        accountId: account.id,
        callbackUrl: null,
        callsBackOnFailure: false,
        metadata: null,
        createdAtMs: firstMs + number * spacingMs,
        request: {
          url: `https://shop-${number % hostCount}.example/products/${number}?page=${number % 7}`,
          options: defaultScrapeOptions,
          timeoutMs: 60_000,
          forwardedHeaders: {},
          purpose: { kind: 'realtime' as const },
        },
      }
    })
    await db.run(insertTasks(sealer, tasks))
  }
  await endAll(db)
}

/** Seven of ten have completed, two have failed, one was cancelled. */
async function endAll(db: Awaited<ReturnType<typeof openStore>>['db']): Promise<void> {
  const attempt = {
    engine: 'http',
    proxy: null,
    outcome: 'page',
    statusCode: 200,
    startedAtMs: 0,
    durationMs: 640,
    queueMs: 3,
    timings: null,
  }
  const remainder = sql`(created_at_ms / ${spacingMs}) % 10`
  await db.run(sql`
    update tasks
    set state = case when ${remainder} < 7 then 'completed' when ${remainder} < 9 then 'failed'
                     else 'cancelled' end,
        error_code = case when ${remainder} in (7, 8) then 'TARGET_TIMEOUT' end,
        attempts = 1, attempt_log = ${JSON.stringify([attempt])},
        started_at_ms = created_at_ms + 3, completed_at_ms = created_at_ms + 643`)
}
