import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import type { Database } from '../../src/storage/database.ts'
import { script, sql } from '../../src/storage/statement.ts'
import { callApi } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import {
  callbackPath,
  closedPortUrl,
  reachingLoopback,
  submitTask,
} from '../support/scrape-calls.ts'
import { startTestService } from '../support/test-service.ts'
import { storeKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'

const inWords = /store was migrated by a newer version/

/** What a newer version does at its start, beside this process. */
const migrateAsNewer = (db: Database, change: string) =>
  db.run(
    script(`
      insert into schema_migrations (version, purpose, applied_at_ms) values (9999, 'later', 1);
      ${change}`),
  )

for (const kind of storeKinds) {
  test(`${kind}: a process whose store was migrated by a newer one is not ready, answers 503 and logs it once`, async (t) => {
    const loud: string[] = []
    const log = pino({ level: 'warn' }, { write: (line) => void loud.push(JSON.parse(line).msg) })
    const service = await startTestService(t, { kind, environment: reachingLoopback, log })
    const account = await service.createAccount()
    const { db } = await service.openBeside()
    loud.length = 0

    await migrateAsNewer(db, 'alter table queue_entries rename column work_id to work_of_later;')
    const body = { url: 'http://127.0.0.1:1025/', callbackUrl: closedPortUrl }
    const posts = Array.from({ length: 10 }, () =>
      account.callWithoutRetry(`POST ${callbackPath}`, body),
    )
    const answers = await Promise.all(posts)
    const ready = await callApi(service.url, 'GET /readyz')
    const list = await account.callWithoutRetry(`GET ${callbackPath}`)

    for (const answer of [...answers, list]) {
      assert.match(String(assertFailure(answer, 'STORE_UNAVAILABLE')['message']), inWords)
    }
    assert.equal(ready.statusCode, 503)
    assert.equal(ready.json().code, 'STORE_UNAVAILABLE')
    assert.match(ready.json().message, inWords)
    assert.equal((await callApi(service.url, 'GET /livez')).statusCode, 200)
    assert.deepEqual(
      loud.map((line) => /migrated to schema 9999 by a newer version/.test(line)),
      [true],
    )
  })

  test(`${kind}: a process whose store was migrated by a newer one finishes what it runs and begins nothing`, async (t) => {
    const site = await startHoldingSite(t)
    const environment = { ...reachingLoopback, TRAWL_HTTP_CONCURRENCY: '1' }
    const service = await startTestService(t, { kind, environment })
    const account = await service.createAccount()
    const running = await submitTask(account, { url: site.url('/running') })
    const waiting = await submitTask(account, { url: site.url('/waiting') })
    const { db } = await service.openBeside()
    const page = await site.untilHeld('/running')

    await migrateAsNewer(db, '')
    await until(async () => (await callApi(service.url, 'GET /readyz')).statusCode === 503)
    page.answer()
    await until(async () => (await stateOf(db, running)) === 'completed')
    await service[Symbol.asyncDispose]()

    assert.equal(await stateOf(db, waiting), 'open')
    assert.deepEqual(site.heldAt('/waiting'), [])
    assert.deepEqual(await db.run(sql`select state from queue_entries where id = ${waiting}`), [
      { state: 'ready' },
    ])
  })
}

async function stateOf(db: Database, id: string): Promise<string | undefined> {
  const [task] = await db.run(sql<{ state: string }>`select state from tasks where id = ${id}`)
  return task?.state
}
