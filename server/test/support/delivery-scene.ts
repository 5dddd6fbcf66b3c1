import type { TestContext } from 'node:test'
import { type Received, startTestReceiver, type TestReceiver } from './test-receiver.ts'
import {
  startTestService,
  type TestAccount,
  type TestService,
  type TestServiceOptions,
} from './test-service.ts'
import { startTestSite, type TestSite } from './test-site.ts'
import { until } from './until.ts'

/** A service that may reach loopback and retries deliveries quickly, and a site to scrape. */
export interface DeliveryScene {
  readonly service: TestService
  readonly site: TestSite
  /** Creates an account and a receiver for one test, so that tests can share the service. */
  createClient(t: TestContext): Promise<DeliveryClient>
}

export interface DeliveryClient {
  readonly account: TestAccount
  readonly receiver: TestReceiver
  /** Submits a task in callback mode and returns its id. */
  scrape(asked?: ScrapeAsked): Promise<string>
  /** Scrapes in realtime mode and returns the task's id. */
  scrapeNow(path?: string): Promise<string>
  subscribe(fields?: { path?: string; url?: string; event_type?: string }): Promise<Subscription>
  patch(webhookId: string, change: object): Promise<void>
  task(id: string): Promise<TaskResponse>
  /** Resolves with the task once the delivery of its callback meets the condition. */
  untilCallback(
    id: string,
    condition: (delivery: TaskResponse['delivery']) => boolean,
  ): Promise<TaskResponse>
  deliveries(webhookId: string, query?: string): Promise<ListedDelivery[]>
  /** Resolves with a webhook's deliveries, newest first, once they meet the condition. */
  untilDeliveries(
    webhookId: string,
    condition: (deliveries: ListedDelivery[]) => boolean,
  ): Promise<ListedDelivery[]>
}

interface ScrapeAsked {
  /** A path of the site. */
  path?: string
  callbackUrl?: string
  [field: string]: unknown
}

interface Subscription {
  id: string
  secret: string
}

interface TaskResponse {
  requestId: string
  status: string
  delivery: {
    status: string
    attempts: number
    nextAttemptAt: string | null
    lastStatusCode: number | null
    lastError: string | null
    deliveredAt: string | null
  }
}

interface ListedDelivery {
  id: string
  event_type: string
  job_id: string
  attempt_number: number
  status: string
  http_status: number | null
  delivered_at: string | null
  created_at: string
}

export async function startDeliveryScene(
  t: TestContext,
  { kind, environment }: TestServiceOptions = {},
): Promise<DeliveryScene> {
  const site = await startTestSite(t)
  const service = await startTestService(t, {
    ...(kind && { kind }),
    environment: {
      TRAWL_EGRESS_ALLOW: '127.0.0.0/8',
      TRAWL_DELIVERY_SCHEDULE: '0s,50ms,100ms',
      ...environment,
    },
  })
  return {
    service,
    site,
    async createClient(inner) {
      const receiver = await startTestReceiver(inner)
      return createDeliveryClient(await service.createAccount(), receiver, site)
    },
  }
}

/** The second attempt is due only long after the test. */
export const farSchedule = '0s,1h,1h'

function createDeliveryClient(
  account: TestAccount,
  receiver: TestReceiver,
  site: TestSite,
): DeliveryClient {
  const task = async (id: string): Promise<TaskResponse> =>
    (await account.call(`GET /api/scraper/scrape/callback/${id}`)).json()
  const deliveries = async (webhookId: string, query = ''): Promise<ListedDelivery[]> =>
    (await account.call(`GET /v1/webhooks/${webhookId}/deliveries${query}`)).json().items
  return {
    account,
    receiver,
    task,
    deliveries,
    async scrape({ path = '/page/cod', ...asked } = {}) {
      const body = { url: site.url(path), callbackUrl: `${receiver.url}/callback`, ...asked }
      const response = await account.call('POST /api/scraper/scrape/callback', body)
      return response.json().requestId
    },
    async scrapeNow(path = '/page/cod') {
      const response = await account.call('POST /api/scraper/scrape/realtime', {
        url: site.url(path),
        configurations: { retries: { useRetries: false } },
      })
      return response.headers['x-request-id'] ?? ''
    },
    async subscribe({ path = '/hook', ...fields } = {}) {
      const wanted = { url: receiver.url + path, event_type: 'extract_completed', ...fields }
      return (await account.call('POST /v1/webhooks', wanted)).json()
    },
    async patch(webhookId, change) {
      await account.call(`PATCH /v1/webhooks/${webhookId}`, change)
    },
    untilCallback: (id, condition) =>
      pollUntil(
        () => task(id),
        ({ delivery }) => condition(delivery),
      ),
    untilDeliveries: (webhookId, condition) => pollUntil(() => deliveries(webhookId), condition),
  }
}

async function pollUntil<Value>(
  read: () => Promise<Value>,
  condition: (value: Value) => boolean,
): Promise<Value> {
  let value = await read()
  await until(async () => {
    value = await read()
    return condition(value)
  })
  return value
}

/** The requests that a path has received so far. */
export const arrivedAt = ({ received }: TestReceiver, path: string): Received[] =>
  received.filter((one) => one.path === path)

/** Runs subtests of one scene concurrently; the parent test needs `concurrency: true`. */
export async function runConcurrently(
  t: TestContext,
  tests: Record<string, (t: TestContext) => Promise<void>>,
): Promise<void> {
  await Promise.all(Object.entries(tests).map(([name, run]) => t.test(name, run)))
}
