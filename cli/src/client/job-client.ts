import {
  type BatchJob,
  type BatchRequest,
  type CallOptions,
  type CrawlJob,
  type CrawlRequest,
  type Job,
  type ResultKind,
  type Trawl,
  waitForEnd,
} from '@trawl/sdk'
import { CommandFailure } from '../command-failure.ts'
import type { ServiceClient } from './service-client.ts'

/** What only a job that was started earlier has to be asked for. */
export interface EarlierJob {
  total: number
  invalidUrls: string[]
  formats: string[]
}

export interface JobClient {
  /** Returns the id of the new job and the URLs that the service does not take. */
  start(body: object): Promise<{ id: string; invalidUrls: string[] }>
  getEarlier(id: string): Promise<EarlierJob>
  untilEnded(id: string, onLook: (job: Job) => void): Promise<Job>
  cancel(id: string): Promise<void>
  /** The results as JSON, one at a time; goes on where the connection broke. */
  results(job: Job): AsyncGenerator<string>
}

/** Retries for about two minutes, enough for a restart of the service. */
const patient = { maxRetries: 22, timeout: 180_000 }

/** Looks until something has ended, which a cancelled job has after its last page, and waits for the service, too. */
export const untilEnded = <Watched extends { completed_at: string | null }>(
  { call }: ServiceClient,
  look: (trawl: Trawl, options: CallOptions) => Promise<Watched>,
  { signal, onLook }: { signal: AbortSignal; onLook: (seen: Watched) => void },
): Promise<Watched> =>
  call((trawl) =>
    waitForEnd(
      (options) => look(trawl, { ...patient, ...options }),
      ({ completed_at }) => completed_at !== null,
      { signal, timeout: Number.POSITIVE_INFINITY, onProgress: onLook },
    ),
  )

export function createJobClient(
  kind: ResultKind,
  service: ServiceClient,
  signal: AbortSignal,
): JobClient {
  const { call, each } = service
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

    async getEarlier(id) {
      const asked = [id, { page_size: 1, contents: 'none' }, { ...patient, signal }] as const
      const job = await call<BatchJob | CrawlJob>((trawl) =>
        kind === 'batch' ? trawl.getBatch(...asked) : trawl.getCrawl(...asked),
      )
      return 'batch_config' in job
        ? {
            total: job.total_urls,
            invalidUrls: job.invalid_urls,
            formats: job.batch_config.all_formats,
          }
        : { total: job.total_pages, invalidUrls: [], formats: job.crawl_config.all_formats }
    },

    untilEnded: (id, onLook) =>
      untilEnded(service, (trawl, options) => trawl.getJob(id, options), { signal, onLook }),

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

    results: ({ job_id, counts: { total } }) =>
      each((trawl) => trawl.resultLines(kind, job_id, { ...patient, total, signal })),
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
