import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authMethodsOf } from '../../src/http/route.ts'
import { routes } from '../../src/http/routes.ts'
import { sql } from '../../src/storage/statement.ts'
import { type ApiResponse, callApi } from '../support/call-api.ts'
import {
  callbackPath,
  closedPortUrl,
  reachingLoopback,
  realtimePath,
  submitTask,
  untilDelivery,
} from '../support/scrape-calls.ts'
import { startTestReceiver, type TestReceiver } from '../support/test-receiver.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'
import { startTestSite, type TestSite } from '../support/test-site.ts'
import { until } from '../support/until.ts'

/** What one account owns and another asks for. */
interface Things {
  ip: string
  keyId: string
  webhookId: string
  deliveryId: string
  endedTaskId: string
  openTaskId: string
  /** An ended batch with a failed page. */
  batchId: string
  openBatchId: string
  crawlId: string
  openCrawlId: string
  mapId: string
}

type Call = [request: string, body?: unknown]

const ipsPath = '/api/configuration/active/whitelisted-ips'
const newWebhook = { url: 'https://hooks.example/in', event_type: 'extract_completed' }
// The guard refuses this target at once, so the response is the same for every account.
const noTarget = { url: 'http://10.0.0.1/' }
const newTask = { url: 'http://target.test/', callbackUrl: 'http://hooks.test/' }

/** How each route asks for a thing. A route that is missing here fails the first test below. */
const asks: Record<string, (things: Things) => Call> = {
  listWhitelistedIps: () => [`GET ${ipsPath}`],
  addWhitelistedIps: ({ ip }) => [`POST ${ipsPath}`, { ips: [{ ip }] }],
  updateWhitelistedIp: ({ ip }) => [`PUT ${ipsPath}`, { ip, description: 'mine now' }],
  removeWhitelistedIps: ({ ip }) => [`DELETE ${ipsPath}`, { ips: [{ ip }] }],
  getSession: () => ['GET /v1/session'],
  listApiKeys: () => ['GET /v1/keys'],
  createApiKey: () => ['POST /v1/keys', { name: 'mine' }],
  revokeApiKey: ({ keyId }) => [`DELETE /v1/keys/${keyId}`],
  searchTasks: ({ batchId }) => [`GET /v1/tasks?job=${batchId}`],
  getTaskDetails: ({ endedTaskId }) => [`GET /v1/tasks/${endedTaskId}`],
  getTaskResponse: ({ endedTaskId }) => [`GET /v1/tasks/${endedTaskId}/response`],
  previewTask: ({ endedTaskId }) => [`GET /v1/tasks/${endedTaskId}/preview`],
  retryTask: ({ endedTaskId }) => [`POST /v1/tasks/${endedTaskId}/retry`],
  cancelTaskById: ({ openTaskId }) => [`DELETE /v1/tasks/${openTaskId}`],
  // It would never end; what a listener gets is a test of its own.
  watchEvents: () => ['HEAD /v1/events'],
  getSystem: () => ['GET /v1/system'],
  listProxies: () => ['GET /v1/proxies'],
  listWebhooks: () => ['GET /v1/webhooks'],
  createWebhook: () => ['POST /v1/webhooks', newWebhook],
  getWebhook: ({ webhookId }) => [`GET /v1/webhooks/${webhookId}`],
  updateWebhook: ({ webhookId }) => [`PATCH /v1/webhooks/${webhookId}`, { is_active: false }],
  deleteWebhook: ({ webhookId }) => [`DELETE /v1/webhooks/${webhookId}`],
  rotateWebhookSecret: ({ webhookId }) => [`POST /v1/webhooks/${webhookId}/rotate-secret`],
  testWebhook: ({ webhookId }) => [`POST /v1/webhooks/${webhookId}/test`],
  listWebhookDeliveries: ({ webhookId }) => [`GET /v1/webhooks/${webhookId}/deliveries`],
  getWebhookDelivery: ({ webhookId, deliveryId }) => [
    `GET /v1/webhooks/${webhookId}/deliveries/${deliveryId}`,
  ],
  redeliverWebhookDelivery: ({ webhookId, deliveryId }) => [
    `POST /v1/webhooks/${webhookId}/deliveries/${deliveryId}/redeliver`,
  ],
  recoverWebhookDeliveries: ({ webhookId }) => [
    `POST /v1/webhooks/${webhookId}/recover`,
    { since: '2000-01-01T00:00:00Z' },
  ],
  submitCallbackScrape: () => [`POST ${callbackPath}`, newTask],
  runRealtimeScrape: () => [`POST ${realtimePath}`, noTarget],
  listTasks: () => [`GET ${callbackPath}`],
  getTask: ({ endedTaskId }) => [`GET ${callbackPath}/${endedTaskId}`],
  getTaskResult: ({ endedTaskId }) => [`GET ${callbackPath}/${endedTaskId}/result`],
  getTaskScreenshot: ({ endedTaskId }) => [`GET ${callbackPath}/${endedTaskId}/screenshot`],
  redeliverTask: ({ endedTaskId }) => [`POST ${callbackPath}/${endedTaskId}/redeliver`],
  cancelTask: ({ openTaskId }) => [`DELETE ${callbackPath}/${openTaskId}`],
  getExtractJob: ({ endedTaskId }) => [`GET /v1/extract/${endedTaskId}`],
  extractPage: () => ['POST /v1/extract', noTarget],
  listExtractJobs: ({ endedTaskId }) => [`GET /v1/extract/jobs?job_id=${endedTaskId}`],
  getExtractFile: ({ endedTaskId }) => [`GET /v1/extract/${endedTaskId}/file`],
  getSeries: () => ['GET /v1/series?start_date=2026-01-01T00:00Z&end_date=2026-01-01T00:01Z'],
  listDomains: () => ['GET /v1/domains'],
  getStatistics: () => ['GET /v1/statistics'],
  getConcurrencyUsage: () => ['GET /v1/usage/concurrency'],
  createBatch: () => ['POST /v1/batch', { urls: [noTarget.url] }],
  listBatches: () => ['GET /v1/batch/jobs'],
  getBatch: ({ batchId }) => [`GET /v1/batch/${batchId}`],
  cancelBatch: ({ openBatchId }) => [`DELETE /v1/batch/${openBatchId}`],
  retryFailedOfBatch: ({ batchId }) => [`POST /v1/batch/${batchId}/retry-failed`],
  createCrawl: () => ['POST /v1/crawl', noTarget],
  listCrawls: () => ['GET /v1/crawl/jobs'],
  getCrawl: ({ crawlId }) => [`GET /v1/crawl/${crawlId}`],
  cancelCrawl: ({ openCrawlId }) => [`DELETE /v1/crawl/${openCrawlId}`],
  mapSiteUrls: () => ['POST /v1/map', noTarget],
  listMaps: () => ['GET /v1/map/jobs'],
  getMap: ({ mapId }) => [`GET /v1/map/${mapId}`],
  listJobs: () => ['GET /v1/jobs'],
  getJob: ({ batchId }) => [`GET /v1/jobs/${batchId}`],
  handleMcpMessage: ({ openCrawlId }) => [
    'POST /mcp',
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'cancel_crawl', arguments: { job_id: openCrawlId } },
    },
  ],
  runSearch: () => ['POST /v1/search', { query: 'fish' }],
  listSearchJobs: () => ['GET /v1/search/jobs'],
  getSearchJob: ({ endedTaskId }) => [`GET /v1/search/${endedTaskId}`],
}

const guarded = routes.filter((route) => authMethodsOf(route) !== undefined)

test('every route that needs credentials has a tenancy test', () => {
  assert.deepEqual(Object.keys(asks).sort(), guarded.map(({ operationId }) => operationId).sort())
})

/** Fields that differ in every response; only lists contain the ids that were asked for. */
const generated = new Set([
  '_id',
  'id',
  'ip',
  'secret',
  'key',
  'prefix',
  'correlation_id',
  'created_at',
  'updated_at',
  'requestId',
  'statusUrl',
  // The caller's own.
  'username',
  'createdAt',
])

const comparable = ({ statusCode, text }: ApiResponse): unknown => ({
  statusCode,
  body: text && JSON.parse(jsonOf(text), withoutGenerated),
})

/** The response of MCP is the data of its last event, and what a tool says is JSON in a text. */
const jsonOf = (text: string): string => text.match(/(?<=^data: ).*$/m)?.[0] ?? text

const withoutGenerated = (key: string, value: unknown): unknown => {
  if (generated.has(key)) return typeof value
  return key === 'text' ? JSON.parse(String(value), withoutGenerated) : value
}

const unknown = '01a1def5-68ae-7e29-9849-4f82ca93e413'
const missing = {
  ip: '192.0.2.99',
  keyId: unknown,
  webhookId: unknown,
  deliveryId: unknown,
  endedTaskId: unknown,
  openTaskId: unknown,
  batchId: unknown,
  openBatchId: unknown,
  crawlId: unknown,
  openCrawlId: unknown,
  mapId: unknown,
}

onBothStores((kind, start) => {
  test(`${kind}: things of another account look missing on every route`, async (t) => {
    const site = await startTestSite(t)
    const receiver = await startTestReceiver(t)
    const service = await start(t, { environment: reachingLoopback })
    const { url, createAccount } = service
    const owner = await createAccount()
    const { db } = await service.openBeside()
    const things = await createThings(owner, site, receiver)
    const before = await stateOf(owner)

    for (const { operationId } of guarded) {
      await t.test(`${operationId} hides things of other accounts`, async () => {
        const ask = asks[operationId]
        assert(ask)
        // Both accounts are new, so that only the thing asked for differs.
        const [stranger, control] = [await createAccount(), await createAccount()]

        const foreign = await stranger.call(...ask(things))
        const absent = await control.call(...ask(missing))
        const [request, body] = ask(things)
        const nobody = await callApi(url, request, { body })

        assert.deepEqual(comparable(foreign), comparable(absent))
        assert.equal(nobody.statusCode, 401)
        assert.deepEqual(await stateOf(owner), before)
      })
    }

    /** All data of an account, secrets included. */
    async function stateOf(account: TestAccount): Promise<unknown> {
      const [{ text: ips }, { text: webhooks }, { text: tasks }, jobs, deliveries, secrets, keys] =
        await Promise.all([
          account.call(`GET ${ipsPath}`),
          account.call('GET /v1/webhooks'),
          account.call(`GET ${callbackPath}`),
          db.run(sql`
          select jobs.id, state, open_count, completed_at_ms
          from jobs join accounts on accounts.id = jobs.account_id
          where accounts.username = ${account.username}
          order by jobs.id`),
          db.run(sql`
          select deliveries.id, state, attempts
          from deliveries join accounts on accounts.id = deliveries.account_id
          where accounts.username = ${account.username}
          order by deliveries.id`),
          db.run(sql`
          select signing_secrets.id, sealed, expires_at_ms
          from signing_secrets join accounts on accounts.id = signing_secrets.account_id
          where accounts.username = ${account.username}
          order by signing_secrets.id`),
          account.call('GET /v1/keys'),
        ])
      // The open task is tried again by itself, whoever asks for what.
      const keyIds = keys.json().keys.map(({ id }: { id: string }) => id)
      return { ips, webhooks, tasks: withoutAttempts(tasks), jobs, deliveries, secrets, keyIds }
    }
  })
})

const withoutAttempts = (tasks: string): string => tasks.replace(/"attempts":\d+/g, '')

/** Creates one of each kind and waits until none of them changes any more. */
async function createThings(
  account: TestAccount,
  site: TestSite,
  receiver: TestReceiver,
): Promise<Things> {
  const ip = '192.0.2.1'
  await account.call(`POST ${ipsPath}`, { ips: [{ ip, description: 'mine' }] })
  const webhook = { ...newWebhook, url: `${receiver.url}/hook` }
  const { id: webhookId } = (await account.call('POST /v1/webhooks', webhook)).json()
  const callbackUrl = `${receiver.url}/callback`
  const endedTaskId = await submitTask(account, { url: site.url('/'), callbackUrl })
  // Each attempt ends after 30 s without headers; the task must stay open while the routes are tested.
  const configurations = { retries: { maxRetries: 10 } }
  const silent = { url: site.url('/silent'), callbackUrl, configurations }
  const openTaskId = await submitTask(account, silent)
  await untilDelivery(account, endedTaskId, 'delivered')
  const sent = async () =>
    (await account.call(`GET /v1/webhooks/${webhookId}/deliveries?status=delivered`)).json().items
  await until(async () => (await sent()).length === 1)
  const [{ id: deliveryId }] = await sent()
  const jobs = await createJobs(account, site)
  const { id: keyId } = (await account.call('POST /v1/keys', { name: 'mine' })).json()
  return { ip, keyId, webhookId, deliveryId, endedTaskId, openTaskId, ...jobs }
}

async function createJobs(account: TestAccount, site: TestSite) {
  const start = async (path: string, body: object): Promise<string> =>
    (await account.call(`POST ${path}`, body)).json().job_id
  const once = { configurations: { retries: { useRetries: false } } }
  const urls = [site.url('/'), closedPortUrl]
  const batchId = await start('/v1/batch', { urls, ...once })
  const crawlId = await start('/v1/crawl', { url: site.url('/'), depth: 1 })
  const mapped = await account.call('POST /v1/map', { url: site.url('/') })
  const endOf = async (path: string) => (await account.call(`GET ${path}`)).json().completed_at
  await until(async () => (await endOf(`/v1/batch/${batchId}`)) !== null)
  await until(async () => (await endOf(`/v1/crawl/${crawlId}`)) !== null)
  // They stay open while the routes are tested, as the open task does.
  const silent = { timeout: 300_000, respect_robots: false }
  return {
    batchId,
    openBatchId: await start('/v1/batch', { urls: [site.url('/silent')], ...silent }),
    crawlId,
    openCrawlId: await start('/v1/crawl', { url: site.url('/silent'), ...silent }),
    mapId: mapped.headers['x-job-id'] ?? '',
  }
}
