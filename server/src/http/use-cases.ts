import type { Authenticator } from '../accounts/authenticator.ts'
import type { RequestAllowance, RequestLimit } from '../accounts/request-limit.ts'
import type { Whitelist } from '../accounts/whitelist.ts'
import type { Webhooks } from '../delivery/webhooks.ts'
import type { Capabilities } from '../domain/service/capabilities.ts'
import type { HealthFacts } from '../domain/service/health.ts'
import type { AdmissionControl } from '../tasks/admission-control.ts'
import type { Tasks } from '../tasks/tasks.ts'

/** All that routes can do: whatever is not listed here, no handler can reach. */
export interface UseCases {
  gate: Authenticator
  countAgainst(limit: RequestLimit, accountId: string): Promise<RequestAllowance>
  whitelist: Whitelist
  webhooks: Webhooks
  tasks: Tasks
  intake: Pick<AdmissionControl, 'requireBreath' | 'requireRoom' | 'report'>
  /** Where this service is reached, for links. */
  publicUrl(): string
  /** With the browser tried out, whoever asks waits for it, 5 s at most. */
  healthFacts(asked: { isBrowserTried: boolean }): Promise<HealthFacts>
  capabilities(asked: { isBrowserTried: boolean }): Promise<Capabilities>
  metricsText(): Promise<string>
  /** This API as JSON and as a page: made once, since whoever asks for them often must cost little. */
  apiDocument(): Uint8Array
  referencePage(): { body: Uint8Array; headers: Record<string, string> }
}
