import { KeysApi, SessionApi, WhitelistedIpsApi } from './access-api.ts'
import type {
  BatchJob,
  BatchRequest,
  BatchResult,
  CrawlJob,
  CrawlRequest,
  CrawlResult,
  Extraction,
  ExtractJob,
  ExtractRequest,
  Job,
  MapRequest,
  Operations,
} from './api.ts'
import { ApiFamily } from './api-family.ts'
import { readSettings, type TrawlOptions } from './client-options.ts'
import {
  type ResultKind,
  type ResultOptions,
  streamResultLines,
  streamResults,
} from './result-stream.ts'
import { ScraperApi } from './scraper-api.ts'
import { ServiceApi } from './service-api.ts'
import { TasksApi } from './tasks-api.ts'
import {
  type Answer,
  type CallOptions,
  type PlainCall,
  type Query,
  readJson,
  type StartOptions,
  Transport,
} from './transport.ts'
import { ScrapeError } from './trawl-error.ts'
import { type WaitOptions, waitForEnd } from './wait-for-end.ts'
import { type EventOptions, watchEvents } from './watched-stream.ts'
import { WebhooksApi } from './webhooks-api.ts'

/** What to scrape and how; `timeout` in it is the time of the scrape itself. */
export type PageRequest = Omit<ExtractRequest, 'processing_mode'>

/** A query for a search engine. */
export type SearchRequest = Operations['POST /v1/search']['body']

/** A page that was scraped. */
export type ScrapedPage = Extraction & { job_id: string }

// The service needs a moment beyond the time that it gives to the page.
const spareMs = 15_000
const scrapeMsByDefault = 60_000
const mapMsMax = 60_000

/** A client of the service. Its verbs are those of `/v1`; the other families are its properties. */
export class Trawl extends ApiFamily {
  /** All tasks of the account, whatever started them. */
  readonly tasks: TasksApi
  /** Scrapes whose result is posted to a callback, and realtime scrapes. */
  readonly scraper: ScraperApi
  readonly webhooks: WebhooksApi
  /** API keys; these need `username` and `password`. */
  readonly keys: KeysApi
  /** Addresses that need no credentials; these need `username` and `password`. */
  readonly whitelistedIps: WhitelistedIpsApi
  /** Signing in, for pages of the service itself. */
  readonly session: SessionApi
  /** The state of the service; no credentials needed. */
  readonly service: ServiceApi
  readonly #transport: Transport

  constructor(options: TrawlOptions = {}) {
    const transport = new Transport(readSettings(options))
    super(transport)
    this.#transport = transport
    this.tasks = new TasksApi(transport)
    this.scraper = new ScraperApi(transport)
    this.webhooks = new WebhooksApi(transport)
    this.keys = new KeysApi(transport)
    this.whitelistedIps = new WhitelistedIpsApi(transport)
    this.session = new SessionApi(transport)
    this.service = new ServiceApi(transport)
  }

  /** Scrapes a page and returns it, or throws a `ScrapeError` that says why it could not be had. */
  scrape(request: PageRequest, options?: CallOptions): Promise<ScrapedPage> {
    return this.send(
      'POST /v1/extract',
      {
        body: { ...request, processing_mode: 'sync' },
        options,
        timeoutByDefault: (request.timeout ?? scrapeMsByDefault) + spareMs,
      },
      async (response) => ({
        ...((await readJson(response)) as Extraction),
        job_id: response.headers.get('x-job-id') ?? '',
      }),
    )
  }

  /** Starts a scrape and returns its job at once; `waitForScrape` gets the page. */
  startScrape(request: PageRequest, options?: StartOptions) {
    const body = { ...request, processing_mode: 'async' } as const
    const answer = this.call('POST /v1/extract', { body, options, isKeyed: true })
    return answer as Promise<Exclude<Answer<'POST /v1/extract'>, Extraction>>
  }

  getScrape(job_id: string, options?: CallOptions) {
    return this.call('GET /v1/extract/{job_id}', { path: { job_id }, options })
  }

  /** Waits for a started scrape and returns its page, or throws its `ScrapeError`. */
  async waitForScrape(jobId: string, options?: WaitOptions<ExtractJob>): Promise<ScrapedPage> {
    const look = (call: CallOptions) => this.getScrape(jobId, call)
    const job = await waitForEnd(look, ({ status }) => isFinal(status), options)
    const { data, metadata, error, tokens_charged, job_id } = job
    if (data && metadata) {
      return { data, metadata, tokens_charged: tokens_charged ?? 0, job_id } as ScrapedPage
    }
    throw new ScrapeError(error?.message ?? `The job is ${job.status}.`, {
      code: error?.code ?? job.status.toUpperCase(),
      retryable: error?.retryable,
      reason: error?.details?.['reason'],
      correlationId: error?.correlation_id,
      jobId: job_id,
    })
  }

  listScrapes(query?: Query<'GET /v1/extract/jobs'>, options?: CallOptions) {
    return this.paged('GET /v1/extract/jobs', { query, options }, ({ jobs }) => jobs)
  }

  /** The bytes of a scrape whose content is a file, such as an image. */
  getScrapeFile(job_id: string, options?: CallOptions): Promise<Blob> {
    const name = 'GET /v1/extract/{job_id}/file'
    return this.send(name, { path: { job_id }, options }, (response) => response.blob())
  }

  /** Starts a batch of up to 1,000 URLs. */
  startBatch(body: BatchRequest, options?: StartOptions) {
    return this.call('POST /v1/batch', { body, options, isKeyed: true })
  }

  /** A batch with its counts and a page of its results. */
  getBatch(job_id: string, query?: Query<'GET /v1/batch/{job_id}'>, options?: CallOptions) {
    return this.call('GET /v1/batch/{job_id}', { path: { job_id }, query, options })
  }

  /** Waits until no page of a batch runs any more. */
  waitForBatch(jobId: string, options?: WaitOptions<BatchJob>): Promise<BatchJob> {
    return waitForEnd((call) => this.getBatch(jobId, undefined, call), isEnded, options)
  }

  /** All results of a batch as they are now, in the order of its URLs. */
  batchResults(jobId: string, options?: ResultOptions) {
    return streamResults<BatchResult>(this.#transport, 'batch', jobId, options)
  }

  listBatches(query?: Query<'GET /v1/batch/jobs'>, options?: CallOptions) {
    return this.paged('GET /v1/batch/jobs', { query, options }, ({ jobs }) => jobs)
  }

  /** Starts nothing new; what runs comes to its end. */
  cancelBatch(job_id: string, options?: CallOptions) {
    return this.call('DELETE /v1/batch/{job_id}', { path: { job_id }, options })
  }

  /** Runs the failed URLs of a finished batch again, in the same job. */
  retryFailedOfBatch(job_id: string, options?: CallOptions) {
    return this.call('POST /v1/batch/{job_id}/retry-failed', { path: { job_id }, options })
  }

  /** Starts a crawl, which follows the links of a site. */
  startCrawl(body: CrawlRequest, options?: StartOptions) {
    return this.call('POST /v1/crawl', { body, options, isKeyed: true })
  }

  /** A crawl with its counts and a page of its results. */
  getCrawl(job_id: string, query?: Query<'GET /v1/crawl/{job_id}'>, options?: CallOptions) {
    return this.call('GET /v1/crawl/{job_id}', { path: { job_id }, query, options })
  }

  /** Waits until no page of a crawl runs any more. */
  waitForCrawl(jobId: string, options?: WaitOptions<CrawlJob>): Promise<CrawlJob> {
    return waitForEnd((call) => this.getCrawl(jobId, undefined, call), isEnded, options)
  }

  /** All results of a crawl as they are now. */
  crawlResults(jobId: string, options?: ResultOptions) {
    return streamResults<CrawlResult>(this.#transport, 'crawl', jobId, options)
  }

  listCrawls(query?: Query<'GET /v1/crawl/jobs'>, options?: CallOptions) {
    return this.paged('GET /v1/crawl/jobs', { query, options }, ({ jobs }) => jobs)
  }

  /** Starts nothing new; what runs comes to its end. */
  cancelCrawl(job_id: string, options?: CallOptions) {
    return this.call('DELETE /v1/crawl/{job_id}', { path: { job_id }, options })
  }

  /** The results of a batch or a crawl as the service writes them: numbers keep all their digits. */
  resultLines(kind: ResultKind, jobId: string, options?: ResultOptions) {
    return streamResultLines(this.#transport, kind, jobId, options)
  }

  /** Lists the URLs of a site from its sitemaps and links. */
  map(body: MapRequest, options?: CallOptions) {
    const timeoutByDefault = mapMsMax + spareMs
    return this.call('POST /v1/map', { body, options, timeoutByDefault })
  }

  getMap(job_id: string, options?: CallOptions) {
    return this.call('GET /v1/map/{job_id}', { path: { job_id }, options })
  }

  listMaps(query?: Query<'GET /v1/map/jobs'>, options?: CallOptions) {
    return this.paged('GET /v1/map/jobs', { query, options }, ({ jobs }) => jobs)
  }

  /** A batch, a crawl or a map: its kind, counts and where its results are. */
  getJob(job_id: string, options?: CallOptions) {
    return this.call('GET /v1/jobs/{job_id}', { path: { job_id }, options })
  }

  /** Waits until no page of a job runs any more, whatever its kind. */
  waitForJob(jobId: string, options?: WaitOptions<Job>): Promise<Job> {
    return waitForEnd((call) => this.getJob(jobId, call), isEnded, options)
  }

  /** Batches, crawls and maps together, newest first. */
  listJobs(query?: Query<'GET /v1/jobs'>, options?: CallOptions) {
    return this.paged('GET /v1/jobs', { query, options }, ({ jobs }) => jobs)
  }

  /** A web search, where the service has a search engine behind it. */
  search(body: SearchRequest, options?: CallOptions) {
    return this.call('POST /v1/search', { body, options })
  }

  getSearch(job_id: string, options?: CallOptions) {
    return this.call('GET /v1/search/{job_id}', { path: { job_id }, options })
  }

  listSearches(query?: Query<'GET /v1/search/jobs'>, options?: CallOptions) {
    return this.paged('GET /v1/search/jobs', { query, options }, ({ jobs }) => jobs)
  }

  /** Pages, success and tokens by day. */
  getStatistics(query?: Query<'GET /v1/statistics'>, options?: CallOptions) {
    return this.call('GET /v1/statistics', { query, options })
  }

  /** How many of the account's tasks run, and how many may. */
  getConcurrency(options?: CallOptions) {
    return this.call('GET /v1/usage/concurrency', { options })
  }

  /** What the account has scraped, step by step, for charts. */
  getSeries(query?: Query<'GET /v1/series'>, options?: CallOptions) {
    return this.call('GET /v1/series', { query, options })
  }

  /** How each host has responded, the busiest first. */
  listDomains(query?: Query<'GET /v1/domains'>, options?: CallOptions) {
    return this.paged('GET /v1/domains', { query, options }, ({ items }) => items)
  }

  /** The whole service: processes, queue, settings, checks. For its first account only. */
  getSystem(options?: CallOptions) {
    return this.call('GET /v1/system', { options })
  }

  /** The proxies with their health, without addresses. For the first account only. */
  listProxies(query?: Query<'GET /v1/proxies'>, options?: CallOptions) {
    return this.paged('GET /v1/proxies', { query, options }, ({ items }) => items)
  }

  /**
   * What happens to tasks, jobs and the queue, until you stop. A broken connection is resumed after the
   * last event; where that is not possible, an event of type `reset` says so.
   */
  events({ topics, ...options }: EventOptions & { topics?: readonly string[] | undefined } = {}) {
    return watchEvents(this.#transport, { topics: topics?.join(',') }, options)
  }

  /** Any call of the API, for programs that pass its response on as it is. */
  request(call: PlainCall, options?: CallOptions): Promise<Response> {
    return this.#transport.sendPlain(call, options)
  }
}

const isFinal = (status: string): boolean => ['completed', 'failed', 'cancelled'].includes(status)

/** A cancelled job still runs until `completed_at` is set. */
const isEnded = ({ completed_at }: { completed_at: string | null }): boolean =>
  completed_at !== null
