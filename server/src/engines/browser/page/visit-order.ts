import type { ProxyRoute } from '../../../domain/proxy/proxy.ts'
import type { AttemptTimings, Page } from '../../../domain/scrape/page.ts'
import type { ScrapeRequest } from '../../../domain/scrape/scrape-request.ts'

export interface BrowserOrder extends ScrapeRequest {
  signal: AbortSignal
  /** Asked before a large page is taken into memory; resolves when there is room for so many bytes. */
  askForRoom?: ((bytes: number) => Promise<void>) | undefined
  /** The only way to whatever the page asks for. */
  proxy?: ProxyRoute | undefined
}

export interface Visited {
  page: Page
  timings: AttemptTimings
}
