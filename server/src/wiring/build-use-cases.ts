/** Builds what the routes can do, from the parts that do it. */
import { createApiKeys } from '../accounts/api-keys.ts'
import { createAuthenticator } from '../accounts/authenticator.ts'
import { createOperator } from '../accounts/operator.ts'
import { consumeRateLimit } from '../accounts/rate-limit.ts'
import { createSignIns } from '../accounts/sign-ins.ts'
import { createWhitelist } from '../accounts/whitelist.ts'
import type { Config } from '../config.ts'
import type { Dashboard } from '../dashboard/dashboard.ts'
import { browserCapability, type Capabilities } from '../domain/service/capabilities.ts'
import { isDiskLow } from '../domain/service/disk-space.ts'
import type { BrowserFacts, HealthFacts } from '../domain/service/health.ts'
import type { AppOptions, Drain } from '../http/app.ts'
import type { Log } from '../runtime/log.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { readDiskSpace } from '../runtime/read-disk-space.ts'
import { version } from '../runtime/version.ts'
import type { Database } from '../storage/database.ts'
import { createCharts } from '../tasks/charts.ts'
import type { ProxyPool } from '../tasks/proxy-pool.ts'
import { createUsage } from '../tasks/usage.ts'
import { describeSystem } from './describe-system.ts'
import { describeProxies } from './proxies.ts'
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
      return describeSystem({ ...parts, admissionControl: work.admissionControl }, browser)
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

async function healthFacts(
  { config, db, drain }: UseCaseParts,
  browser: BrowserFacts,
): Promise<HealthFacts> {
  const { dataDir, diskFreeMin } = config.store
  const isStoreAnswering = await db.ping().then(
    () => true,
    () => false,
  )
  // With PostgreSQL there may be no data folder at all, and so nothing to report.
  const disk = await readDiskSpace(dataDir)
  return {
    isStoreAnswering,
    storeRefusal: db.refusal()?.message,
    diskFreeShare: disk && disk.freeBytes / disk.totalBytes,
    isDiskLow: isDiskLow(disk, diskFreeMin),
    isDraining: drain.isDraining,
    browser,
  }
}

const capabilities = (
  { config, db, proxies }: UseCaseParts,
  browser: BrowserFacts,
): Capabilities => ({
  service: 'trawl',
  version,
  store: db.kind,
  roles: config.roles,
  engines: { browser: browserCapability(browser) },
  proxies: describeProxies(proxies),
  limits: { body_bytes_max: config.http.bodyBytesMax },
})
