import type { ProxyRoute } from '../../../domain/proxy/proxy.ts'
import type { AttemptTimings, Page } from '../../../domain/scrape/page.ts'
import type { ScrapeRequest } from '../../../domain/scrape/scrape-request.ts'

export interface BrowserOrder extends ScrapeRequest {
  signal: AbortSignal
  /** Called before a large page is read; resolves when so many bytes of memory are free for it. */
  reserveMemory?: ((bytes: number) => Promise<void>) | undefined
  /** All requests of the page go through this proxy. */
  proxy?: ProxyRoute | undefined
}

export interface Visited {
  page: Page
  timings: AttemptTimings
}
