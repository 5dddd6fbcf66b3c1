import type { ProxyRoute } from '../../../domain/proxy/proxy.ts'
import type { JarCookie } from '../../../domain/scrape/jar-cookie.ts'
import type { AttemptTimings, Page } from '../../../domain/scrape/page.ts'
import type { EngineRequest, TaskPurpose } from '../../../domain/scrape/scrape-request.ts'
import type { BudgetShare } from '../../../runtime/sharing/memory-budget.ts'

export interface BrowserOrder extends EngineRequest {
  /** For advice in messages. */
  purpose?: TaskPurpose | undefined
  /** Whose turn it is where pages wait for each other. */
  accountId?: string | undefined
  signal: AbortSignal
  /** Where a large page reserves memory before it is read. */
  memory?: Pick<BudgetShare, 'reserve'> | undefined
  /** Whether the visit of a file, which is no page, ends with a `Failure` that has `isFile`. */
  leavesFiles?: boolean | undefined
  /** All requests of the page go through this proxy. */
  proxy?: ProxyRoute | undefined
  /** The cookies of a session: the page begins with them, and the result has them afterwards. */
  jar?: readonly JarCookie[] | undefined
}

export interface Visited {
  page: Page
  timings: AttemptTimings
  jar?: JarCookie[] | undefined
}
