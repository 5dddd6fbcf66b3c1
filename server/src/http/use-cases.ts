import type { Authenticator } from '../accounts/authenticator.ts'
import type { RateLimit, RateLimitStatus } from '../accounts/rate-limit.ts'
import type { Whitelist } from '../accounts/whitelist.ts'
import type { Webhooks } from '../delivery/webhooks.ts'
import type { Capabilities } from '../domain/service/capabilities.ts'
import type { HealthFacts } from '../domain/service/health.ts'
import type { Batches } from '../jobs/batches.ts'
import type { Crawls } from '../jobs/crawls.ts'
import type { Maps } from '../jobs/maps.ts'
import type { AdmissionControl } from '../tasks/admission-control.ts'
import type { Tasks } from '../tasks/tasks.ts'
import type { Usage } from '../tasks/usage.ts'

/** Everything that a handler can reach. */
export interface UseCases {
  authenticator: Authenticator
  consumeRateLimit(limit: RateLimit, accountId: string): Promise<RateLimitStatus>
  whitelist: Whitelist
  webhooks: Webhooks
  tasks: Tasks
  batches: Batches
  crawls: Crawls
  maps: Maps
  usage: Usage
  admissionControl: Pick<
    AdmissionControl,
    'requireNotOverloaded' | 'requireQueueCapacity' | 'report'
  >
  /** The origin of links to this service. */
  publicUrl(): string
  /** With `isBrowserTried` the browser opens a page, which takes 5 s at most. */
  healthFacts(asked: { isBrowserTried: boolean }): Promise<HealthFacts>
  capabilities(asked: { isBrowserTried: boolean }): Promise<Capabilities>
  metricsText(): Promise<string>
  /** The OpenAPI document and the reference page, rendered once at the start. */
  apiDocument(): Uint8Array
  referencePage(): { body: Uint8Array; headers: Record<string, string> }
}
