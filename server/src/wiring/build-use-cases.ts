/** Builds what the routes can do, from the parts that do it. */
import { createApiKeys } from '../accounts/api-keys.ts'
import { createAuthenticator } from '../accounts/authenticator.ts'
import { createOperator } from '../accounts/operator.ts'
import { consumeRateLimit } from '../accounts/rate-limit.ts'
import { createSignIns } from '../accounts/sign-ins.ts'
import { createWhitelist } from '../accounts/whitelist.ts'
import type { Config } from '../config.ts'
import type { Dashboard } from '../dashboard/dashboard.ts'
import type { BrowserFacts, HealthFacts } from '../domain/service/health.ts'
import type { AppOptions, Drain } from '../http/app.ts'
import type { Log } from '../runtime/log.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { describeCapabilities } from '../service/describe-capabilities.ts'
import { describeSystem } from '../service/describe-system.ts'
import { readHealthFacts } from '../service/health-facts.ts'
import type { Database } from '../storage/database.ts'
import type { ProxyPool } from '../tasks/proxies/proxy-pool.ts'
import { describeProxies } from '../tasks/proxies/start-proxies.ts'
import { createCharts } from '../tasks/usage/charts.ts'
import { createUsage } from '../tasks/usage/usage.ts'
import type { Capabilities } from '../wire/service/responses.ts'
import type { Work } from './work.ts'

interface UseCaseParts {
  config: Config
  db: Database
  log: Log
  metrics: Pick<Metrics, 'text'>
  drain: Pick<Drain, 'isDraining'>
  proxies: ProxyPool
  processId: string
  publicUrl: () => string
  dashboard: Dashboard
  work: Pick<
    Work,
    | 'tasks'
    | 'allJobs'
    | 'batches'
    | 'crawls'
    | 'maps'
    | 'webhooks'
    | 'events'
    | 'readingTurns'
    | 'callerPriority'
    | 'cutPage'
    | 'admissionControl'
    | 'browserAccess'
  >
}

export function buildUseCases(parts: UseCaseParts): AppOptions['useCases'] {
  const { db, log, metrics, work, publicUrl } = parts
  const authenticator = createAuthenticator({ db, log })
  return {
    authenticator,
    consumeRateLimit: (limit, accountId) => consumeRateLimit(db, limit, accountId),
    signIns: createSignIns({ db, authenticator }),
    whitelist: createWhitelist(db, () => authenticator.clearIpCache()),
    apiKeys: createApiKeys(db, () => {
      authenticator.clearKeyCache()
      work.events.checkAccess()
    }),
    webhooks: work.webhooks,
    tasks: work.tasks,
    allJobs: work.allJobs,
    batches: work.batches,
    crawls: work.crawls,
    maps: work.maps,
    usage: createUsage({ db, accountRunningMax: parts.config.workers.accountRunningMax }),
    charts: createCharts(db),
    readingTurns: work.readingTurns,
    callerPriority: work.callerPriority,
    cutPage: work.cutPage,
    events: work.events,
    dashboard: parts.dashboard,
    admissionControl: work.admissionControl,
    operator: createOperator(db),
    proxies: parts.proxies,
    describeSystem: async () => {
      const browser = await work.browserAccess.describe({ isTried: false })
      const { lanes: depths } = work.admissionControl.report()
      return describeSystem({ ...parts, ...systemValues(parts.config), depths }, browser)
    },
    publicUrl,
    storeRefusal: () => db.refusal(),
    metricsText: metrics.text,
    healthFacts: async ({ isBrowserTried: isTried }) =>
      healthFacts(parts, await work.browserAccess.describe({ isTried })),
    capabilities: async ({ isBrowserTried: isTried }) =>
      capabilities(parts, await work.browserAccess.describe({ isTried })),
  }
}

const healthFacts = (
  { config: { store }, db, drain: { isDraining } }: UseCaseParts,
  browser: BrowserFacts,
): Promise<HealthFacts> => readHealthFacts({ ...store, db, isDraining }, browser)

const capabilities = (
  { config: { roles, http }, db, proxies }: UseCaseParts,
  browser: BrowserFacts,
): Capabilities => {
  const { bodyBytesMax } = http
  const found = { roles, bodyBytesMax, storeKind: db.kind, proxies: describeProxies(proxies) }
  return describeCapabilities(found, browser)
}

const systemValues = ({ roles, store, queue, environment }: Config) => ({
  roles,
  dataDir: store.dataDir,
  leaseMs: queue.leaseMs,
  settings: [...environment.shownSettings],
})
