/** Resumes a webhook and kills the service around the moment of the commit. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Database } from '../../src/storage/database.ts'
import { forUpdate, sql } from '../../src/storage/statement.ts'
import { type ApiResponse, callApi } from '../support/call-api.ts'
import { respondWith, startTestReceiver, type TestReceiver } from '../support/test-receiver.ts'
import { serviceEnvironment } from '../support/test-service.ts'
import { startTestSite, type TestSite } from '../support/test-site.ts'
import { createTestStore, type TestStore, tierStoreKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'
import { KillableService } from './ledger/killable-service.ts'

const apiKey = 'resuming-key-0123456789'
// More than a receiver gets concurrently, so that some deliveries wait.
const heldBackCount = 15

interface Scene {
  db: Database
  store: TestStore
  site: TestSite
  receiver: TestReceiver
  service: KillableService
  call(request: string, body?: unknown): Promise<ApiResponse>
}

interface Moment {
  /** Requests the resume; resolves when the service is to be killed. */
  come(scene: Scene, webhookId: string, resume: () => void): Promise<AsyncDisposable | undefined>
  /** Whether the resume is committed by then, if that is certain. */
  isWritten?: boolean
}

const afterMs = (ms: number): Moment => ({
  async come(_scene, _webhookId, resume) {
    resume()
    await pause(ms)
    return undefined
  },
})

const moments: Record<string, Moment> = {
  'before the resume is committed': {
    async come(scene, webhookId, resume) {
      const held = await holdCommits(scene)
      resume()
      await held.untilReached(() => scene.call(`GET /v1/webhooks/${webhookId}`))
      return held
    },
    isWritten: false,
  },
  'as soon as the resume is committed': {
    async come({ db }, webhookId, resume) {
      resume()
      await until(() => isActive(db, webhookId))
      return undefined
    },
    isWritten: true,
  },
  'while the first deliveries are sent': {
    async come({ receiver }, _webhookId, resume) {
      const arrived = Promise.withResolvers<void>()
      receiver.behave(() => arrived.resolve())
      resume()
      await arrived.promise
      return undefined
    },
    isWritten: true,
  },
  '5 ms after the resume was requested': afterMs(5),
}

for (const kind of tierStoreKinds) {
  test(`${kind}: no held-back delivery is lost if the service is killed while a webhook resumes`, async (t) => {
    const scene = await startScene(t, await createTestStore(t, kind))

    for (const [name, moment] of Object.entries(moments)) {
      await t.test(`a kill ${name} loses no delivery`, async (t) => {
        const { service, receiver, db, call } = scene
        const { webhookId, deliveryIds } = await holdBack(scene)
        receiver.behave(respondWith(200))
        const resume = () => void resumeWebhook(scene, webhookId).catch(() => undefined)

        const held = await moment.come(scene, webhookId, resume)
        await service.kill()
        await held?.[Symbol.asyncDispose]()
        receiver.behave(respondWith(200))
        const isResumed = await isActiveAtLast(db, webhookId)
        t.diagnostic(isResumed ? 'the resume was committed' : 'the resume was not committed')
        assert.equal(isResumed, moment.isWritten ?? isResumed)
        if (!isResumed) assert.deepEqual(await listToSend(db, webhookId), [])
        await service.start()
        if (!isResumed) await resumeWebhook(scene, webhookId)

        await untilAllDelivered(scene, webhookId)
        const arrived = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
        assert.deepEqual([...arrived].sort(), deliveryIds)
        assert.equal((await call(`DELETE /v1/webhooks/${webhookId}`)).statusCode, 204)
      })
    }
  })
}

async function startScene(t: TestContext, store: TestStore): Promise<Scene> {
  const db = await store.open()
  const site = await startTestSite(t)
  const receiver = await startTestReceiver(t)
  const service = new KillableService({
    ...serviceEnvironment(store.place),
    TRAWL_API_KEY: apiKey,
    TRAWL_EGRESS_ALLOW: '127.0.0.0/8',
    TRAWL_LEASE: '1s',
    TRAWL_DELIVERY_SCHEDULE: ['0s', ...Array.from({ length: 200 }, () => '100ms')].join(','),
  })
  t.after(() => service[Symbol.asyncDispose]())
  await service.start()
  const headers = { 'x-api-key': apiKey }
  const call = (request: string, body?: unknown) => callApi(service.url, request, { headers, body })
  return { db, store, site, receiver, service, call }
}

/** Creates a paused webhook with held-back deliveries in the middle of their schedules. */
async function holdBack({ db, site, receiver, call }: Scene) {
  receiver.behave(respondWith(500))
  const wanted = { url: receiver.url, event_type: 'extract_completed' }
  const webhookId: string = (await call('POST /v1/webhooks', wanted)).json().id
  const scraped = Array.from({ length: heldBackCount }, () =>
    call('POST /api/scraper/scrape/realtime', { url: site.url('/page/cod') }),
  )
  await Promise.all(scraped)
  await call(`PATCH /v1/webhooks/${webhookId}`, { is_active: false })
  await until(async () => (await listToSend(db, webhookId)).length === 0)
  receiver.received.length = 0
  const deliveries = await listDeliveries(db, webhookId)
  assert.deepEqual(
    deliveries.map(({ state }) => state),
    Array.from({ length: heldBackCount }, () => 'pending'),
  )
  return { webhookId, deliveryIds: deliveries.map(({ id }) => id) }
}

async function resumeWebhook({ call }: Scene, webhookId: string): Promise<void> {
  const answer = await call(`PATCH /v1/webhooks/${webhookId}`, { is_active: true })
  assert.equal(answer.statusCode, 200)
}

/** Includes deliveries that arrived before the kill and are only marked in the store. */
async function untilAllDelivered({ db }: Scene, webhookId: string): Promise<void> {
  const isEverythingDone = async () =>
    (await listToSend(db, webhookId)).length === 0 &&
    (await listDeliveries(db, webhookId)).every(({ state }) => state === 'delivered')
  await until(isEverythingDone)
}

/** PostgreSQL may still run statements of the dead process; the row lock waits for their end. */
async function isActiveAtLast(db: Database, webhookId: string): Promise<boolean> {
  await db.run(sql`select id from webhooks where id = ${webhookId} ${forUpdate}`)
  return isActive(db, webhookId)
}

async function isActive(db: Database, webhookId: string): Promise<boolean> {
  const rows = await db.run(sql<{ is_active: number }>`
    select is_active from webhooks where id = ${webhookId}`)
  return rows[0]?.is_active === 1
}

const listDeliveries = (db: Database, webhookId: string) =>
  db.run(sql<{ id: string; state: string }>`
    select id, state from deliveries where webhook_id = ${webhookId} order by id`)

const listToSend = (db: Database, webhookId: string) =>
  db.run(sql<{ id: string }>`
    select queue_entries.id from queue_entries
    join deliveries on deliveries.id = queue_entries.work_id
    where deliveries.webhook_id = ${webhookId}`)

interface HeldCommits extends AsyncDisposable {
  /** Resolves when the service is blocked; `askSomething` makes it answer a request. */
  untilReached(askSomething: () => Promise<unknown>): Promise<void>
}

const holdCommits = ({ store: { kind, place }, db }: Scene): Promise<HeldCommits> =>
  kind === 'sqlite' ? holdWriteLock(place.dataDir) : holdWebhooks(place.url ?? '', db)

async function holdWriteLock(dataDir: string): Promise<HeldCommits> {
  const connection = new DatabaseSync(join(dataDir, 'trawl.db'))
  connection.exec('begin immediate')
  return {
    async untilReached(askSomething) {
      // SQLite shows no waiting writers; the commit is reached once later requests are answered.
      for (let times = 0; times < 5; times++) await askSomething()
    },
    async [Symbol.asyncDispose]() {
      connection.close()
    },
  }
}

async function holdWebhooks(url: string, db: Database): Promise<HeldCommits> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  await client.query('begin; lock table webhooks in exclusive mode')
  const whoWaits = sql`
    from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'
      and query like '%update webhooks%'`
  const isReached = async () => (await db.run(sql`select pid ${whoWaits}`)).length > 0
  return {
    untilReached: () => until(isReached),
    async [Symbol.asyncDispose]() {
      // The commit was already sent: a server that has not noticed the death would still run it.
      await db.run(sql`select pg_terminate_backend(pid) ${whoWaits}`)
      await client.end()
    },
  }
}
