import type { AttemptTimings, Page } from '../domain/page.ts'
import type { ScrapeRequest } from '../domain/scrape-request.ts'

/** Fetches pages with Chromium. */
export interface BrowserEngine extends AsyncDisposable {
  /** Throws a `Failure`, or the signal's reason once that is aborted. */
  visit(order: BrowserOrder): Promise<Visited>
}

export interface BrowserOrder extends ScrapeRequest {
  signal: AbortSignal
}

export interface Visited {
  page: Page
  timings: AttemptTimings
}
