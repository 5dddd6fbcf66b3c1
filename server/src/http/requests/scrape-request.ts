import type { IncomingHttpHeaders } from 'node:http'
import type { ScrapeOptions } from '../../domain/scrape/scrape-options.ts'
import type { ScrapeRequest } from '../../domain/scrape/scrape-request.ts'

interface ScrapeBody {
  url: string
  configurations: ScrapeOptions
  timeout_ms: number
}

export const toScrapeRequest = (
  kind: 'callback' | 'realtime',
  body: ScrapeBody,
  headers: IncomingHttpHeaders,
): ScrapeRequest => ({
  url: body.url,
  options: body.configurations,
  timeoutMs: body.timeout_ms,
  forwardedHeaders: body.configurations.keep_headers ? singleHeaders(headers) : {},
  purpose: { kind },
})

export function singleHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const single: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) single[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return single
}
