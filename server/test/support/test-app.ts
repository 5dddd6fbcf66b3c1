import type { TestContext } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { withoutDashboard } from '../../src/dashboard/dashboard.ts'
import type { BrowserFacts, HealthFacts } from '../../src/domain/service/health.ts'
import { createApp } from '../../src/http/app.ts'
import { RequestTurns, tooManyWaiting } from '../../src/http/request-turns.ts'
import type { Route } from '../../src/http/route.ts'
import { routes as allRoutes } from '../../src/http/routes.ts'
import type { UseCases, UseCasesOfRoutes } from '../../src/http/use-cases.ts'
import { createMetrics } from '../../src/runtime/metrics.ts'
import { EventLoopShares } from '../../src/runtime/sharing/event-loop-shares.ts'
import { ServedAccounts } from '../../src/runtime/sharing/served-accounts.ts'
import { browserCapability } from '../../src/wire/service/responses.ts'

export const readyBrowser: BrowserFacts = {
  state: 'ready',
  isElsewhere: false,
  version: '156.0',
  flavor: 'shell',
  sandbox: 'on',
  opensPages: true,
}

export const healthy: HealthFacts = {
  isStoreAnswering: true,
  diskFreeShare: 0.5,
  isDiskLow: false,
  isDraining: false,
  browser: readyBrowser,
}

export interface TestAppOptions {
  routes?: readonly Route[]
  health?: Partial<HealthFacts>
  trustProxy?: string[]
  connectionsMax?: number
  dashboard?: UseCases['dashboard']
}

// Tests of the HTTP layer alone never use the store.
const storeless = undefined as never

/** Use cases of a service in a given state of health. */
export function useCasesWith(
  health: Partial<HealthFacts>,
  dashboard: UseCases['dashboard'] = withoutDashboard(),
): Omit<UseCases, UseCasesOfRoutes> {
  const served = new ServedAccounts()
  const metrics = createMetrics({ storeClockOffsetMs: () => 0 })
  return {
    authenticator: storeless,
    consumeRateLimit: storeless,
    signIns: storeless,
    whitelist: storeless,
    apiKeys: storeless,
    webhooks: storeless,
    tasks: storeless,
    allJobs: storeless,
    batches: storeless,
    crawls: storeless,
    maps: storeless,
    usage: storeless,
    charts: storeless,
    readingTurns: storeless,
    requestTurns: new RequestTurns(served),
    eventLoopShares: new EventLoopShares({ served, tooManyWait: tooManyWaiting }),
    callerPriority: storeless,
    cutPage: storeless,
    events: storeless,
    dashboard,
    admissionControl: storeless,
    operator: storeless,
    proxies: storeless,
    describeSystem: storeless,
    publicUrl: () => 'http://trawl.test',
    storeRefusal: () => undefined,
    healthFacts: async () => ({ ...healthy, ...health }),
    metricsText: metrics.text,
    capabilities: async () => ({
      service: 'trawl',
      version: '0.0.0',
      store: 'sqlite',
      roles: ['api'],
      engines: { browser: browserCapability(readyBrowser) },
      proxies: {
        total: 0,
        residential: 0,
        datacenter: 0,
        countries: [],
        any_country: false,
        cooling_down: 0,
      },
      limits: { body_bytes_max: 1024 },
    }),
  }
}

/** The HTTP layer alone, for what happens before any use case; it closes when the test ends. */
export function createTestApp(
  t: TestContext,
  options: TestAppOptions = {},
): { app: FastifyInstance; logged: Record<string, unknown>[] } {
  const logged: Record<string, unknown>[] = []
  const log = pino({ level: 'debug' }, { write: (line) => void logged.push(JSON.parse(line)) })
  const app = createApp({
    routes: options.routes ?? allRoutes,
    useCases: useCasesWith(options.health ?? {}, options.dashboard),
    bodyBytesMax: 1024,
    connectionsMax: options.connectionsMax ?? 1_000,
    requestTimeoutMs: 30_000,
    drain: { isDraining: false, isRefusing: false },
    trustProxy: options.trustProxy ?? [],
    host: '127.0.0.1',
    allowedHosts: [],
    log,
    metrics: createMetrics({ storeClockOffsetMs: () => 0 }),
  })
  t.after(() => app.close())
  return { app, logged }
}
