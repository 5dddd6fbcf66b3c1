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

/** A service that may reach loopback and delivers in a hurry, and a site for it to scrape. */
export interface DeliveryScene {
  readonly service: TestService
  readonly site: TestSite
  /** An account and a receiver of a test's own, so that tests can share the service. */
  join(t: TestContext): Promise<Party>
}

export interface Party {
  readonly account: TestAccount
  readonly receiver: TestReceiver
  /** Hands in a task in callback mode; the answer is its id. */
  scrape(asked?: ScrapeAsked): Promise<string>
  /** Scrapes in realtime mode; the answer is the task's id. */
  scrapeNow(path?: string): Promise<string>
  subscribe(fields?: { path?: string; url?: string; event_type?: string }): Promise<Subscription>
  patch(webhookId: string, change: object): Promise<void>
  task(id: string): Promise<TaskAnswer>
  /** Resolves with the task's status once its callback has come so far. */
  untilCallback(
    id: string,
    isSo: (delivery: TaskAnswer['delivery']) => boolean,
  ): Promise<TaskAnswer>
  deliveries(webhookId: string, query?: string): Promise<ListedDelivery[]>
  /** Resolves with a webhook's deliveries, newest first, once they are as wanted. */
  untilDeliveries(
    webhookId: string,
    isSo: (deliveries: ListedDelivery[]) => boolean,
  ): Promise<ListedDelivery[]>
}

interface ScrapeAsked {
  /** Of the site. */
  path?: string
  callbackUrl?: string
  [field: string]: unknown
}

interface Subscription {
  id: string
  secret: string
}

interface TaskAnswer {
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
    async join(inner) {
      const receiver = await startTestReceiver(inner)
      return createParty(await service.createAccount(), receiver, site)
    },
  }
}

/** After the first attempt no other comes within a test. */
export const farSchedule = '0s,1h,1h'

function createParty(account: TestAccount, receiver: TestReceiver, site: TestSite): Party {
  const task = async (id: string): Promise<TaskAnswer> =>
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
      const answer = await account.call('POST /api/scraper/scrape/callback', body)
      return answer.json().requestId
    },
    async scrapeNow(path = '/page/cod') {
      const answer = await account.call('POST /api/scraper/scrape/realtime', {
        url: site.url(path),
        configurations: { retries: { useRetries: false } },
      })
      return answer.headers['x-request-id'] ?? ''
    },
    async subscribe({ path = '/hook', ...fields } = {}) {
      const wanted = { url: receiver.url + path, event_type: 'extract_completed', ...fields }
      return (await account.call('POST /v1/webhooks', wanted)).json()
    },
    async patch(webhookId, change) {
      await account.call(`PATCH /v1/webhooks/${webhookId}`, change)
    },
    untilCallback: (id, isSo) =>
      untilSeen(
        () => task(id),
        ({ delivery }) => isSo(delivery),
      ),
    untilDeliveries: (webhookId, isSo) => untilSeen(() => deliveries(webhookId), isSo),
  }
}

async function untilSeen<Seen>(
  look: () => Promise<Seen>,
  isSo: (seen: Seen) => boolean,
): Promise<Seen> {
  let seen = await look()
  await until(async () => {
    seen = await look()
    return isSo(seen)
  })
  return seen
}

/** What arrived at a path so far. */
export const arrivedAt = ({ received }: TestReceiver, path: string): Received[] =>
  received.filter((one) => one.path === path)

/** Runs tests of one scene beside each other; the test around them needs `concurrency: true`. */
export async function beside(
  t: TestContext,
  tests: Record<string, (t: TestContext) => Promise<void>>,
): Promise<void> {
  await Promise.all(Object.entries(tests).map(([name, run]) => t.test(name, run)))
}
