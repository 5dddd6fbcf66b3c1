import { redactUrl } from '../../domain/redact-url.ts'
import type { PageCookie, PageFacts, PageRequestRecord } from '../../domain/scrape/page.ts'
import type { TargetResponse } from './target-response.ts'

export const toTargetResponse = (page: PageFacts): TargetResponse => ({
  url: redactUrl(page.url),
  http_status: page.statusCode,
  engine: page.engine,
  headers: page.headers,
  cookies: page.cookies.map(toCookie),
  bandwidth: page.bandwidth,
  screenshot: page.screenshot ?? null,
  requests: isRecorded(page) ? page.requests.map(toRequest) : null,
  console: page.console ?? null,
  wait_ended_at_deadline: page.isWaitCutShort ?? false,
})

/** A browser records the requests of a page together with its console, with `debug`. */
const isRecorded = ({ engine, console }: PageFacts): boolean =>
  engine === 'http' || console !== undefined

const toCookie = ({ httpOnly, sameSite, ...cookie }: PageCookie) => ({
  ...cookie,
  http_only: httpOnly,
  same_site: sameSite,
})

const toRequest = (request: PageRequestRecord) => ({
  url: redactUrl(request.url),
  type: request.type,
  http_status: request.statusCode,
  bytes: request.bytes,
  started_ms: request.startedMs === undefined ? null : toTenths(request.startedMs),
  duration_ms: toTenths(request.durationMs),
  is_blocked: request.isBlocked,
})

const toTenths = (ms: number): number => Math.round(ms * 10) / 10
