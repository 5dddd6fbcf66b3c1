import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { getAccount } from '../../src/accounts/accounts.ts'
import { createApiKeys } from '../../src/accounts/api-keys.ts'
import { sql } from '../../src/storage/statement.ts'
import { type ApiResponse, callApi } from '../support/call-api.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import {
  onBothStores,
  serviceEnvironment,
  startTestService,
  type TestAccount,
} from '../support/test-service.ts'
import { createTestStore } from '../support/test-store.ts'
import { until } from '../support/until.ts'

const changesCount = 30

interface Scene {
  url: string
  account: TestAccount
  webhookId: string
  keyIds: string[]
}

/** Changes of which an account makes one at a time. */
const changes: Record<string, (scene: Scene, index: number) => Promise<ApiResponse>> = {
  'creating keys': ({ account }) => account.callWithoutRetry('POST /v1/keys', { name: 'new' }),
  'revoking keys': ({ account, keyIds }, index) =>
    account.callWithoutRetry(`DELETE /v1/keys/${keyIds[index]}`),
  'whitelisting addresses': ({ account }, index) =>
    account.callWithoutRetry('POST /api/configuration/active/whitelisted-ips', {
      ips: [{ ip: `192.0.2.${index}` }],
    }),
  'creating webhooks': ({ account }) => account.callWithoutRetry('POST /v1/webhooks', webhook),
  'rotating a secret': ({ account, webhookId }) =>
    account.callWithoutRetry(`POST /v1/webhooks/${webhookId}/rotate-secret`),
  'signing in': ({ url, account: { username, password } }) =>
    callApi(url, 'POST /v1/session', { body: { username, password } }),
}

const webhook = { url: 'https://receiver.example/', event_type: 'extract_completed' }

test('postgres: changes of an account that wait for each other hold one connection', async (t) => {
  const { place } = await createTestStore(t, 'postgres')
  const environment = { ...serviceEnvironment(place), TRAWL_ROLES: 'api' }
  const service = await startTestService(t, { environment })
  const { db } = await service.openBeside()
  const [account, other] = [await service.createAccount(), await service.createAccount()]
  const scene = await createScene(service.url, account)
  const callAsOther = async () => {
    const webhookId = (await other.callWithoutRetry('POST /v1/webhooks', webhook)).json().id
    const answers = [
      await other.callWithoutRetry('GET /v1/webhooks'),
      await other.callWithoutRetry(`DELETE /v1/webhooks/${webhookId}`),
      await other.callWithoutRetry('POST /v1/keys', { name: 'other' }),
    ]
    return answers.map(({ statusCode }) => statusCode)
  }
  const countWaiting = async () =>
    (
      await db.run(sql`
        select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`)
    ).length

  for (const [what, change] of Object.entries(changes)) {
    await t.test(what, async () => {
      const locker = await connect(place.url)
      await lockRows(locker, account)

      const answers = Array.from({ length: changesCount }, (_, index) => change(scene, index))
      await until(async () => (await countWaiting()) > 0)
      const statusesOfOther = await callAsOther()
      const waitingCount = await countWaiting()
      await locker.end()

      assert.deepEqual(statusesOfOther, [200, 204, 201])
      assert.equal(waitingCount, 1)
      const failed = (await Promise.all(answers)).filter(
        // No more than ten webhooks are created.
        ({ statusCode }) => statusCode >= 300 && statusCode !== 409,
      )
      assert.deepEqual(failed, [])
    })
  }

  await t.test('a task of the account does not wait for a change', async () => {
    const locker = await connect(place.url)
    await locker.query('begin; lock table api_keys in exclusive mode')

    const creation = account.callWithoutRetry('POST /v1/keys', { name: 'late' })
    await until(async () => (await countWaiting()) > 0)
    const task = await account.callWithoutRetry('POST /api/scraper/scrape/callback', {
      url: 'https://page.example/',
      callbackUrl: 'https://receiver.example/',
    })
    await locker.end()

    assert.equal(task.statusCode, 202, task.text)
    assert.equal((await creation).statusCode, 201)
  })
})

test('postgres: pages of a batch and repeated submissions that wait for one row hold three connections', async (t) => {
  const { place } = await createTestStore(t, 'postgres')
  const environment = { ...serviceEnvironment(place), ...reachingLoopback }
  const service = await startTestService(t, { environment })
  const { db } = await service.openBeside()
  const [account, other] = [await service.createAccount(), await service.createAccount()]
  const site = await startHoldingSite(t)
  const countWaiting = async () =>
    (
      await db.run(sql`
        select pid from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`)
    ).length
  const urls = Array.from({ length: changesCount }, () => site.url('/page'))
  const batch = (await account.call('POST /v1/batch', { urls })).json()
  await site.untilHeld('/page', changesCount)

  const locker = await connect(place.url)
  await locker.query('begin; select 1 from jobs for update')
  for (const page of site.heldAt('/page')) page.answer()
  await until(async () => (await countWaiting()) > 0)
  const read = await other.callWithoutRetry('GET /v1/webhooks')
  const waitingCount = await countWaiting()
  await locker.end()

  assert.equal(read.statusCode, 200)
  assert.ok(waitingCount <= 3, `${waitingCount} connections waited`)
  await until(async () => {
    const job = (await account.call(`GET /v1/batch/${batch.job_id}`)).json()
    return job.status === 'completed'
  })
})

onBothStores((kind, start) => {
  test(`${kind}: one account's new key does not wait for many of another`, async (t) => {
    const service = await start(t, { environment: { TRAWL_ROLES: 'api' } })
    const { db } = await service.openBeside()
    const [greedy, other] = await Promise.all(
      [await service.createAccount(), await service.createAccount()].map(({ username }) =>
        getAccount(db, username),
      ),
    )
    const keys = createApiKeys(db, () => undefined)

    let createdCount = 0
    const creations = Array.from({ length: changesCount }, async () => {
      await keys.create(greedy?.id ?? '', 'new')
      createdCount += 1
    })
    await keys.create(other?.id ?? '', 'new')
    const createdBefore = createdCount

    await Promise.all(creations)
    assert.ok(createdBefore < changesCount / 2, `${createdBefore} were created before it`)
  })
})

async function createScene(url: string, account: TestAccount): Promise<Scene> {
  const { id: webhookId } = (await account.call('POST /v1/webhooks', webhook)).json()
  const created = Array.from({ length: changesCount }, () =>
    account.call('POST /v1/keys', { name: 'to be revoked' }),
  )
  const keyIds = (await Promise.all(created)).map((answer) => answer.json().id)
  return { url, account, webhookId, keyIds }
}

/** Locks the rows that changes of the account wait for, until the connection ends. */
async function lockRows(locker: pg.Client, { username }: TestAccount): Promise<void> {
  await locker.query('begin')
  const { rows } = await locker.query('select id from accounts where username = $1 for update', [
    username,
  ])
  const ofAccount = [rows[0].id]
  await locker.query('select id from webhooks where account_id = $1 for update', ofAccount)
  await locker.query(
    "select id from api_keys where account_id = $1 and name <> '' for update",
    ofAccount,
  )
}

async function connect(connectionString: string | undefined): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  // The store ends before it where the test fails.
  client.on('error', () => undefined)
  return client
}
