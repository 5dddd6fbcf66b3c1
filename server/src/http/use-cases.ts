import type { ApiKeys } from '../accounts/api-keys.ts'
import type { Authenticator } from '../accounts/authenticator.ts'
import type { Operator } from '../accounts/operator.ts'
import type { consumeRateLimit, RateLimit } from '../accounts/rate-limit.ts'
import type { SignIns } from '../accounts/sign-ins.ts'
import type { Whitelist } from '../accounts/whitelist.ts'
import type { Dashboard } from '../dashboard/dashboard.ts'
import type { Webhooks } from '../delivery/webhooks.ts'
import type { Failure } from '../domain/failure.ts'
import type { HealthFacts } from '../domain/service/health.ts'
import type { EventHub } from '../events/event-hub.ts'
import type { AllJobs } from '../jobs/all-jobs.ts'
import type { Batches } from '../jobs/batch/batches.ts'
import type { Crawls } from '../jobs/crawl/crawls.ts'
import type { Maps } from '../jobs/map/maps.ts'
import type { CallerPriority } from '../runtime/sharing/caller-priority.ts'
import type { EventLoopShares } from '../runtime/sharing/event-loop-shares.ts'
import type { AdmissionControl } from '../tasks/admission-control.ts'
import type { ProxyPool } from '../tasks/proxies/proxy-pool.ts'
import type { PageCutter } from '../tasks/results/page-cutter.ts'
import type { ReadingTurns } from '../tasks/results/reading-turns.ts'
import type { Tasks } from '../tasks/tasks.ts'
import type { Charts } from '../tasks/usage/charts.ts'
import type { Usage } from '../tasks/usage/usage.ts'
import type { System } from '../wire/operator/responses.ts'
import type { Capabilities } from '../wire/service/responses.ts'
import type { McpRequest, McpResponse } from './mcp/mcp-exchange.ts'
import type { RequestTurns } from './request-turns.ts'

/** What the HTTP layer makes itself, from its routes. */
export type UseCasesOfRoutes = ApiPage | 'handleMcpMessage'

/** Everything that a handler can reach. */
export interface UseCases {
  authenticator: Authenticator
  consumeRateLimit(limit: RateLimit, accountId: string): ReturnType<typeof consumeRateLimit>
  signIns: SignIns
  whitelist: Whitelist
  apiKeys: ApiKeys
  webhooks: Webhooks
  tasks: Tasks
  allJobs: AllJobs
  batches: Batches
  crawls: Crawls
  maps: Maps
  usage: Usage
  charts: Charts
  readingTurns: ReadingTurns
  requestTurns: RequestTurns
  eventLoopShares: EventLoopShares
  callerPriority: Pick<CallerPriority, 'begin'>
  cutPage: PageCutter
  events: Pick<EventHub, 'watch'>
  dashboard: Pick<Dashboard, 'files' | 'notice' | 'isBuilding'>
  admissionControl: Pick<
    AdmissionControl,
    'requireNotOverloaded' | 'requireQueueCapacity' | 'report'
  >
  operator: Operator
  proxies: Pick<ProxyPool, 'list'>
  describeSystem(): Promise<System>
  /** The origin of links to this service. */
  publicUrl(): string
  /** While it returns a failure, every request but probes is refused with it. */
  storeRefusal(): Failure | undefined
  /** With `isBrowserTried` the browser opens a page, which takes 5 s at most. */
  healthFacts(asked: { isBrowserTried: boolean }): Promise<HealthFacts>
  capabilities(asked: { isBrowserTried: boolean }): Promise<Capabilities>
  metricsText(): Promise<string>
  handleMcpMessage(request: McpRequest): Promise<McpResponse>
  /** The API as a document, as a page and as an index, rendered once. */
  apiDocument(): Uint8Array
  referencePage(): { body: Uint8Array; headers: Record<string, string> }
  llmsText(): Uint8Array
}

/** The API, described from its routes. */
export type ApiPage = 'apiDocument' | 'referencePage' | 'llmsText'
