/** The client of Trawl, a self-hosted web scraping service. The README shows how to use it. */
export type * from './api.ts'
export type { TrawlOptions } from './client-options.ts'
export type { KeysApi } from './keys-api.ts'
export type { ListPage, PagedList } from './paged-list.ts'
export type { PlainCall } from './plain-call.ts'
export { readLines } from './read-lines.ts'
export type { ResultKind, ResultOptions } from './result-stream.ts'
export type { ScraperApi } from './scraper-api.ts'
export { readServerSentEvents, type ServerSentEvent } from './server-sent-events.ts'
export type { ServiceApi } from './service-api.ts'
export type { SessionApi } from './session-api.ts'
export type { TasksApi } from './tasks-api.ts'
export type { CallOptions, StartOptions } from './transport.ts'
export { type PageRequest, type ScrapedPage, type SearchRequest, Trawl } from './trawl.ts'
export {
  AuthError,
  ConflictError,
  ConnectionError,
  EngineUnavailableError,
  type FieldFault,
  NotFoundError,
  RateLimitError,
  ScrapeError,
  ServerError,
  TimeoutError,
  TrawlError,
  type TrawlErrorDetails,
  ValidationError,
  WebhookError,
} from './trawl-error.ts'
export {
  type CallbackMessage,
  type EventEnvelope,
  type LinkedJob,
  type ReceivedHeaders,
  unwrapWebhook,
  type VerifyOptions,
  verifyWebhook,
  type WebhookEvent,
} from './verify-webhook.ts'
export { type WaitOptions, waitForEnd } from './wait-for-end.ts'
export type { EventOptions, TrawlEvent } from './watched-stream.ts'
export type { WebhooksApi } from './webhooks-api.ts'
export type { WhitelistedIpsApi } from './whitelisted-ips-api.ts'
