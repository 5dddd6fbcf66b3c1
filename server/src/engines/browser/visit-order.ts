import type { AttemptTimings, Page } from '../../domain/page.ts'
import type { ScrapeRequest } from '../../domain/scrape-request.ts'

export interface BrowserOrder extends ScrapeRequest {
  signal: AbortSignal
}

export interface Visited {
  page: Page
  timings: AttemptTimings
}
