import {
  type BatchRequest,
  type CallOptions,
  type CrawlRequest,
  type Trawl,
  waitForEnd,
} from '@trawl/sdk'
import { CommandFailure } from '../command-failure.ts'
import type { ServiceClient } from './service-client.ts'

export type FollowedKind = 'batch' | 'crawl'

/** Every kind of job that `trawl jobs` shows. */
export const jobKindNames = ['batch', 'crawl', 'map', 'extract'] as const
export type JobKindName = (typeof jobKindNames)[number]

/** A job as the command line follows it. */
export interface FollowedJob {
  id: string
  status: string
  /** The status of a cancelled job is final before its last page is. */
  isEnded: boolean
  counts: PageCounts
  invalidUrls: string[]
  formats: string[]
}

export interface PageCounts {
  total: number
  completed: number
  failed: number
  cancelled: number
}

export interface JobClient {
  /** Returns the id of the new job and the URLs that the service does not take. */
  start(body: object): Promise<{ id: string; invalidUrls: string[] }>
  get(id: string): Promise<FollowedJob>
  untilEnded(id: string, onLook: (job: FollowedJob) => void): Promise<FollowedJob>
  cancel(id: string): Promise<void>
  /** The results as JSON, one at a time; goes on where the connection broke. */
  results(job: FollowedJob): AsyncGenerator<string>
}

/** Retries for about two minutes, enough for a restart of the service. */
const patient = { maxRetries: 22, timeout: 180_000 }

/** Past the last page of every job, so that the response has no results. */
export const pageWithoutResults = 1_000_000
const noResults = { page: pageWithoutResults, page_size: 1 }

const readers: Record<
  JobKindName,
  (trawl: Trawl, id: string, options: CallOptions) => Promise<object>
> = {
  batch: (trawl, id, options) => trawl.getBatch(id, noResults, options),
  crawl: (trawl, id, options) => trawl.getCrawl(id, noResults, options),
  map: (trawl, id, options) => trawl.getMap(id, options),
  extract: (trawl, id, options) => trawl.getScrape(id, options),
}

export function createJobClient(
  kind: JobKindName,
  { call, each }: ServiceClient,
  signal: AbortSignal,
): JobClient {
  const read = async (trawl: Trawl, id: string, options: CallOptions): Promise<FollowedJob> =>
    toFollowedJob(kind, { ...(await readers[kind](trawl, id, { ...patient, ...options })) })

  return {
    async start(body) {
      signal.throwIfAborted()
      // Not ended by a signal: a job that was accepted needs its id to be followed or cancelled.
      const accepted = await call<{ job_id: string; invalid_urls?: string[] }>((trawl) =>
        kind === 'batch'
          ? trawl.startBatch(body as BatchRequest)
          : trawl.startCrawl(body as CrawlRequest),
      )
      return { id: requireId(accepted.job_id), invalidUrls: accepted.invalid_urls ?? [] }
    },

    get: (id) => call((trawl) => read(trawl, id, { signal })),

    untilEnded: (id, onLook) =>
      call((trawl) =>
        waitForEnd(
          (options) => read(trawl, id, options),
          ({ isEnded }) => isEnded,
          { signal, timeout: Number.POSITIVE_INFINITY, onProgress: onLook },
        ),
      ),

    async cancel(id) {
      try {
        await call<unknown>((trawl) =>
          kind === 'batch' ? trawl.cancelBatch(id) : trawl.cancelCrawl(id),
        )
      } catch (error) {
        // It has ended in the meantime.
        if (!(error instanceof CommandFailure && error.code === 'CONFLICT')) throw error
      }
    },

    results: ({ id, counts: { total } }) =>
      each((trawl) =>
        trawl.resultLines(kind === 'batch' ? kind : 'crawl', id, { ...patient, total, signal }),
      ),
  }
}

const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const isJobId = (text: unknown): text is string =>
  typeof text === 'string' && idPattern.test(text)

/** Ids become parts of paths and commands, so nothing else may pass as one. */
function requireId(id: unknown): string {
  if (!isJobId(id)) throw new Error('The service did not name the job.')
  return id
}

export const hasPages = (kind: JobKindName): kind is FollowedKind =>
  kind === 'batch' || kind === 'crawl'

function toFollowedJob(kind: JobKindName, body: Record<string, unknown>): FollowedJob {
  const noun = kind === 'batch' ? 'urls' : 'pages'
  const count = (name: string) => Number(body[`${name}_${noun}`] ?? 0)
  const config = body[`${kind}_config`] as { all_formats?: string[] } | undefined
  return {
    id: requireId(body['job_id']),
    status: String(body['status']),
    isEnded: (body['completed_at'] ?? null) !== null,
    counts: hasPages(kind)
      ? {
          total: count('total'),
          completed: count('completed'),
          failed: count('failed'),
          cancelled: count('cancelled'),
        }
      : countsOfOne(String(body['status'])),
    invalidUrls: (body['invalid_urls'] as string[] | undefined) ?? [],
    formats: config?.all_formats ?? [],
  }
}

/** An extraction or a map is one page. */
const countsOfOne = (status: string): PageCounts => ({
  total: 1,
  completed: status === 'completed' ? 1 : 0,
  failed: status === 'failed' ? 1 : 0,
  cancelled: status === 'cancelled' ? 1 : 0,
})
