import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sortableId } from '../../src/runtime/sortable-id.ts'
import type { Database } from '../../src/storage/database.ts'
import { WatchedDatabase } from '../../src/storage/outages/watched-database.ts'
import { type Statement, sql } from '../../src/storage/statement.ts'
import { insertDelivery } from '../../src/storage/tables/deliveries.ts'
import { insertReadyEntry } from '../../src/storage/tables/queue-entries.ts'
import { onBothStores, type TestAccount, type TestService } from '../support/test-service.ts'

const deliveryCount = 250
/** What one transaction may change, while all other writes wait. */
const rowsMax = 100

const oldOrigin = 'https://old.example'
const newOrigin = 'https://new.example'

interface Change {
  /** What the webhook has before the change. */
  state: 'pending' | 'skipped'
  isQueued: boolean
  isActive: boolean
  request: (path: string) => [request: string, body?: object]
  /** How many deliveries the change has reached. */
  countChanged: (webhookId: string) => Statement<{ count: number }>
}

const countQueued = (webhookId: string) =>
  sql<{ count: number }>`
    select count(*) as count from queue_entries
    where work_id in (select id from deliveries where webhook_id = ${webhookId})`

const countAt = (concurrencyKey: string) => (webhookId: string) =>
  sql<{ count: number }>`
    ${countQueued(webhookId)} and concurrency_key = ${concurrencyKey}
      and flow like ${`%/${concurrencyKey}`}`

const countSkipped = (webhookId: string) =>
  sql<{ count: number }>`
    select count(*) as count from deliveries
    where webhook_id = ${webhookId} and state = 'skipped'
      and not exists (select 1 from queue_entries where queue_entries.id = deliveries.id)`

const waiting = { state: 'pending', isQueued: true, isActive: true } as const
const changes: Record<string, Change> = {
  'a new URL': {
    ...waiting,
    request: (path) => [`PATCH ${path}`, { url: newOrigin }],
    countChanged: countAt(newOrigin),
  },
  'resuming it': {
    ...waiting,
    isQueued: false,
    isActive: false,
    request: (path) => [`PATCH ${path}`, { is_active: true }],
    countChanged: countAt(oldOrigin),
  },
  'resuming it with a new URL': {
    ...waiting,
    isQueued: false,
    isActive: false,
    request: (path) => [`PATCH ${path}`, { is_active: true, url: newOrigin }],
    countChanged: countAt(newOrigin),
  },
  'deleting it': {
    ...waiting,
    request: (path) => [`DELETE ${path}`],
    countChanged: countSkipped,
  },
  'recovering what it missed': {
    state: 'skipped',
    isQueued: false,
    isActive: true,
    request: (path) => [`POST ${path}/recover`, { since: '2020-01-01T00:00:00Z' }],
    countChanged: countQueued,
  },
}

onBothStores((kind, start) => {
  test(`${kind}: changing a webhook that has many deliveries`, async (t) => {
    // Nothing is sent, so that only the change changes them.
    const service = await start(t, { environment: { TRAWL_ROLES: 'api' } })
    const account = await service.createAccount()
    const { db } = await service.openBeside()

    for (const [what, change] of Object.entries(changes)) {
      await t.test(`${what} reaches at most ${rowsMax} in one transaction`, async (t) => {
        const id = await createWebhook({ service, account, ...change })
        const counts: number[] = [0]
        const reads = afterEachCall(t, db, async () => {
          const [row] = await db.run(change.countChanged(id))
          // The service has other calls too, and a look of theirs may end late.
          counts.push(Math.max(counts.at(-1) ?? 0, row?.count ?? 0))
        })

        const [request, body] = change.request(`/v1/webhooks/${id}`)
        const { statusCode, text } = await account.call(request, body)

        assert.ok(statusCode < 300, text)
        const steps = counts.slice(1).map((count, index) => count - (counts[index] ?? 0))
        assert.equal(counts.at(-1), deliveryCount)
        assert.ok(Math.max(...steps) <= rowsMax, `Steps: ${steps.filter((step) => step !== 0)}`)
        assert.deepEqual(reads(), [])
      })
    }

    await t.test('one change of an account is made at a time', async (t) => {
      const id = await createWebhook({ service, account, ...waiting })
      const origins = [newOrigin, 'https://newest.example']
      let originsMax = 0
      afterEachCall(t, db, async () => {
        const found = await db.run(sql`
          select distinct concurrency_key from queue_entries
          where work_id in (select id from deliveries where webhook_id = ${id})`)
        originsMax = Math.max(originsMax, found.length)
      })

      await Promise.all(
        origins.map((url) => account.call(`PATCH /v1/webhooks/${id}`, { url: `${url}/in` })),
      )

      const { url } = (await account.call(`GET /v1/webhooks/${id}`)).json()
      const [moved] = await db.run(countAt(new URL(url).origin)(id))
      assert.equal(moved?.count, deliveryCount)
      assert.equal(originsMax, 2)
    })
  })
})

/** A webhook with deliveries to the old origin. */
async function createWebhook({
  service,
  account,
  ...given
}: Pick<Change, 'state' | 'isQueued' | 'isActive'> & {
  service: TestService
  account: TestAccount
}): Promise<string> {
  const wanted = { url: oldOrigin, event_type: 'extract_completed', is_active: given.isActive }
  const { id } = (await account.call('POST /v1/webhooks', wanted)).json()
  const { db } = await service.openBeside()
  const accepted = await account.call('POST /api/scraper/scrape/callback', {
    url: 'https://a.example/',
    callbackUrl: 'https://a.example/',
  })
  const [row] = await db.run(sql<{ accountId: string }>`
    select account_id as "accountId" from webhooks where id = ${id}`)
  const accountId = row?.accountId ?? ''
  const deliveries = Array.from({ length: deliveryCount }, () => ({
    id: sortableId(),
    accountId,
    subject: { kind: 'task', id: accepted.json().requestId } as const,
    webhook: { id, eventType: 'extract_completed' as const },
    createdAtMs: db.nowMs(),
    state: given.state,
  }))
  const entries = deliveries.map((delivery) =>
    insertReadyEntry({
      id: delivery.id,
      workId: delivery.id,
      lane: 'delivery',
      accountId,
      concurrencyKey: oldOrigin,
    }),
  )
  await db.transaction([...deliveries.map(insertDelivery), ...(given.isQueued ? entries : [])])
  return id
}

/**
 * Looks after each call of the service to its store. Returns the reads of deliveries, so far, for which
 * all writes had to wait.
 */
function afterEachCall(t: TestContext, beside: Database, look: () => Promise<void>) {
  const blocking: string[] = []
  for (const method of ['run', 'transaction'] as const) {
    const call = WatchedDatabase.prototype[method] as (...given: unknown[]) => Promise<unknown>
    t.mock.method(WatchedDatabase.prototype, method, async function (
      this: Database,
      ...given: unknown[]
    ) {
      const result = await call.apply(this, given)
      if (this === beside) return result
      blocking.push(...[given[0]].flat().map(textOfBlockingRead).filter(Boolean))
      await look()
      return result
    } as never)
  }
  return () => blocking
}

function textOfBlockingRead(statement: unknown): string {
  const { strings, isQuick, isSlow } = statement as Statement<unknown>
  const text = strings.join('?')
  return /^\s*select\b.*\bdeliveries\b/s.test(text) && !isQuick && !isSlow ? text : ''
}
