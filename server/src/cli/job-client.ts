import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { callService } from './call-service.ts'
import type { ChosenService } from './choose-service.ts'
import { RequestRefused } from './request-refused.ts'
import { retryPauseMs } from './retry-pause.ts'
import { ServiceUnreachable } from './service-unreachable.ts'
import { splitLines } from './split-lines.ts'

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
  cancel(id: string): Promise<void>
  /** The results as JSON, one at a time; goes on where the connection broke. */
  results(job: FollowedJob): AsyncGenerator<string>
}

const responseMsMax = 60_000
const resultBytesMax = 256 * 2 ** 20

/** Past the last page of every job, so that the response has no results. */
export const pageWithoutResults = 1_000_000

export function createJobClient(
  kind: JobKindName,
  given: ChosenService & { signal: AbortSignal },
): JobClient {
  const { server, apiKey, keyOrigin, signal } = given
  const as = { apiKey, keyOrigin }
  const path = `/v1/${kind}`
  const urlOf = (id: string, query = '') => new URL(`${path}/${id}${query}`, server)

  return {
    async start(body) {
      signal.throwIfAborted()
      // With the key, a request that is sent again starts no second job.
      const headers = { 'idempotency-key': randomUUID() }
      const url = new URL(path, server)
      const response = await patiently('start', () =>
        // Not ended by a signal: a job that was accepted needs its id to be followed or cancelled.
        callService({ method: 'POST', url, ...as, headers, body, timeoutMs: responseMsMax }),
      )
      const accepted = (await response.json()) as { job_id: string; invalid_urls?: string[] }
      return { id: requireId(accepted.job_id), invalidUrls: accepted.invalid_urls ?? [] }
    },

    get: (id) =>
      patiently('read', async () => {
        const url = urlOf(id, hasPages(kind) ? `?page=${pageWithoutResults}&page_size=1` : '')
        const response = await callService({
          method: 'GET',
          url,
          ...as,
          signal,
          timeoutMs: responseMsMax,
        })
        return toFollowedJob(kind, (await response.json()) as Record<string, unknown>)
      }),

    async cancel(id) {
      try {
        await callService({ method: 'DELETE', url: urlOf(id), ...as, timeoutMs: responseMsMax })
      } catch (error) {
        // It has ended in the meantime.
        if (!(error instanceof RequestRefused && error.code === 'CONFLICT')) throw error
      }
    },

    async *results({ id, counts }) {
      let done = 0
      for (let failuresInARow = 0; ; ) {
        try {
          let index = 0
          for await (const line of resultLines(id)) {
            index += 1
            if (index <= done) continue
            done = index
            failuresInARow = 0
            yield line
          }
          if (done >= counts.total) return
          throw new ServiceUnreachable(`The service sent ${done} of ${counts.total} results.`)
        } catch (error) {
          failuresInARow += 1
          await pauseOrThrow(error, 'read', failuresInARow)
        }
      }
    },
  }

  async function* resultLines(id: string): AsyncGenerator<string> {
    const headers = { accept: 'application/x-ndjson' }
    const { body } = await callService({ method: 'GET', url: urlOf(id), ...as, headers, signal })
    if (!body) return
    const tooLong = () => new Error(`A result has more than ${resultBytesMax} bytes.`)
    yield* splitLines(readBody(body), { bytesMax: resultBytesMax, tooLong })
  }

  async function* readBody(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* body
    } catch (error) {
      signal.throwIfAborted()
      const { message, cause } = error as Error & { cause?: Error }
      throw new ServiceUnreachable(`The results broke off: ${cause?.message ?? message}`)
    }
  }

  async function patiently<Value>(
    what: 'start' | 'read',
    act: () => Promise<Value>,
  ): Promise<Value> {
    for (let failuresInARow = 1; ; failuresInARow += 1) {
      try {
        return await act()
      } catch (error) {
        await pauseOrThrow(error, what, failuresInARow)
      }
    }
  }

  async function pauseOrThrow(error: unknown, what: 'start' | 'read', failuresInARow: number) {
    const pauseMs = retryPauseMs(error, { what, failuresInARow, random: Math.random() })
    if (pauseMs === undefined) throw error
    await pauseUnless(signal, pauseMs)
  }
}

/** Waits; a signal ends it with its reason. */
export async function pauseUnless(signal: AbortSignal, ms: number): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
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
