/** What the playground can send, by its name in addresses. */
export const playgroundOperations = {
  extract: { name: 'Scrape', path: '/v1/extract' },
  callback: { name: 'Callback', path: '/api/scraper/scrape/callback' },
  realtime: { name: 'Realtime', path: '/api/scraper/scrape/realtime' },
  batch: { name: 'Batch', path: '/v1/batch' },
  crawl: { name: 'Crawl', path: '/v1/crawl' },
  map: { name: 'Map', path: '/v1/map' },
} as const

export type PlaygroundOperation = keyof typeof playgroundOperations

/** A call as the playground makes it: what to ask, and the options that differ from the default. */
export interface PlaygroundRequest {
  operation: PlaygroundOperation
  body: Readonly<Record<string, unknown>>
}
