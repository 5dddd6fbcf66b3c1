import type { CallbackScrape, RealtimeScrape, Task } from './api.ts'
import { ApiFamily } from './api-family.ts'
import { type CallOptions, type Query, readWhole, type StartOptions } from './transport.ts'
import { type WaitOptions, waitForEnd } from './wait-for-end.ts'

/** All attempts of a scrape and the pauses between them end within 15 minutes. */
const realtimeMsMax = 920_000

/** `/api/scraper`: scrapes whose result is posted to a callback, and realtime scrapes. */
export class ScraperApi extends ApiFamily {
  /** Queues a scrape; its result is posted to the `callbackUrl`. */
  submit(body: CallbackScrape, options?: StartOptions) {
    return this.call('POST /api/scraper/scrape/callback', { body, options, isKeyed: true })
  }

  /**
   * Scrapes while you wait. The response is as the service sends it: the page itself, an image, or JSON
   * by `response_format`; headers such as `X-Target-Status` tell more.
   */
  realtime(body: RealtimeScrape, options?: CallOptions): Promise<Response> {
    const name = 'POST /api/scraper/scrape/realtime'
    const input = { body, options, timeoutByDefault: realtimeMsMax }
    return this.send(name, input, readWhole)
  }

  list(query?: Query<'GET /api/scraper/scrape/callback'>, options?: CallOptions) {
    return this.paged('GET /api/scraper/scrape/callback', { query, options }, ({ items }) => items)
  }

  get(request_id: string, options?: CallOptions) {
    const name = 'GET /api/scraper/scrape/callback/{request_id}'
    return this.call(name, { path: { request_id }, options })
  }

  /** Waits until a task is completed, failed or cancelled. */
  waitFor(requestId: string, options?: WaitOptions<Task>): Promise<Task> {
    return waitForEnd(
      (call) => this.get(requestId, call),
      ({ status }) => status !== 'queued' && status !== 'processing',
      options,
    )
  }

  /** What `realtime` would have returned. */
  getResult(request_id: string, options?: CallOptions): Promise<Response> {
    const name = 'GET /api/scraper/scrape/callback/{request_id}/result'
    return this.send(name, { path: { request_id }, options }, readWhole)
  }

  getScreenshot(request_id: string, options?: CallOptions): Promise<Blob> {
    const name = 'GET /api/scraper/scrape/callback/{request_id}/screenshot'
    const input = { path: { request_id }, options }
    return this.send(name, input, (response) => response.blob())
  }

  /** Posts the callback once more. */
  redeliver(request_id: string, options?: CallOptions) {
    const name = 'POST /api/scraper/scrape/callback/{request_id}/redeliver'
    return this.call(name, { path: { request_id }, options })
  }

  cancel(request_id: string, options?: CallOptions) {
    const name = 'DELETE /api/scraper/scrape/callback/{request_id}'
    return this.call(name, { path: { request_id }, options })
  }
}
