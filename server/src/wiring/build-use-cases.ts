/** Builds what the routes can do, from the parts that do it. */
import { createApiKeys } from '../accounts/api-keys.ts'
import { createAuthenticator } from '../accounts/authenticator.ts'
import { createOperator } from '../accounts/operator.ts'
import { consumeRateLimit } from '../accounts/rate-limit.ts'
import { createSignIns } from '../accounts/sign-ins.ts'
import { createWhitelist } from '../accounts/whitelist.ts'
import type { Config } from '../config.ts'
import type { Dashboard } from '../dashboard/dashboard.ts'
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
  work: Pick<Work, 'useCases' | 'browserAccess'>
}

export function buildUseCases(parts: UseCaseParts): AppOptions['useCases'] {
  const { config, db, log, proxies, publicUrl } = parts
  const { useCases, browserAccess } = parts.work
  const { roles, http, store } = config
  const authenticator = createAuthenticator({ db, log })
  return {
    ...useCases,
    authenticator,
    consumeRateLimit: (limit, accountId) => consumeRateLimit(db, limit, accountId),
    signIns: createSignIns({ db, authenticator }),
    whitelist: createWhitelist(db, () => authenticator.clearIpCache()),
    apiKeys: createApiKeys(db, () => {
      authenticator.clearKeyCache()
      useCases.events.checkAccess()
    }),
    charts: createCharts(db),
    dashboard: parts.dashboard,
    operator: createOperator(db),
    proxies,
    describeSystem: async () => {
      const browser = await browserAccess.describe({ isTried: false })
      const { lanes: depths } = useCases.admissionControl.report()
      const settings = [...config.environment.shownSettings]
      const given = { dataDir: store.dataDir, leaseMs: config.queue.leaseMs, settings }
      return describeSystem({ ...parts, ...given, roles, depths }, browser)
    },
    publicUrl,
    storeRefusal: () => db.refusal(),
    metricsText: parts.metrics.text,
    healthFacts: async ({ isBrowserTried: isTried }) => {
      const browser = await browserAccess.describe({ isTried })
      return readHealthFacts({ ...store, db, isDraining: parts.drain.isDraining }, browser)
    },
    capabilities: async ({ isBrowserTried: isTried }) => {
      const browser = await browserAccess.describe({ isTried })
      const { bodyBytesMax } = http
      const found = { roles, bodyBytesMax, storeKind: db.kind, proxies: describeProxies(proxies) }
      return describeCapabilities(found, browser)
    },
  }
}
