import { Readable } from 'node:stream'
import { z } from 'zod'
import type { JobTracking } from '../../jobs/job-tracking.ts'
import { type JsonPieces, slicesOf } from '../../runtime/splice-json.ts'
import { pageQuery } from '../../wire/pagination.ts'
import { toDelivery } from '../../wire/scrape/to-responses.ts'
import { JobPath } from '../requests/task-ids.ts'
import { RouteResponse } from '../route.ts'

export const ndjsonType = 'application/x-ndjson'
const jsonType = 'application/json; charset=utf-8'

/** What a caller may ask for when it gets a batch or a crawl. */
export const getJobFields = {
  description: `With \`Accept: ${ndjsonType}\` every result is a line of its own, without pages: a snapshot of the moment.`,
  params: JobPath,
  query: pageQuery({ sizeMax: 50, sizeByDefault: 10 }).extend({
    contents: z
      .enum(['all', 'none'])
      .default('all')
      .describe('`none` leaves `data`, `links` and `metadata` of results empty.'),
    download: z
      .enum(['ndjson', 'json'])
      .optional()
      .describe('All results without pages, as lines or as one object, for a browser to save.'),
  }),
  headers: z.object({ accept: z.string().optional() }),
}

interface GetJobRequest {
  disconnected: AbortSignal
  query: z.output<typeof getJobFields.query>
  headers: z.output<typeof getJobFields.headers>
}

/** A job with a page of its results, or all of them as lines. They are read while they are sent, so one is in memory at a time. */
export async function jobResponse(
  jobs: Pick<JobTracking, 'results' | 'findCallback'>,
  { job, head }: { job: JobOfTracking; head: object },
  request: GetJobRequest,
): Promise<RouteResponse> {
  const { id, accountId, counts, callbackUrl, completedAtMs } = job
  const { page, page_size, contents, download } = request.query
  const isLines = download ? download === 'ndjson' : request.headers.accept?.includes(ndjsonType)
  const asked =
    download || isLines
      ? { offset: 0, limit: counts.total }
      : { offset: (page - 1) * page_size, limit: page_size }
  const results = jobs.results(id, {
    accountId,
    ...asked,
    hasContents: contents === 'all',
    disconnected: request.disconnected,
  })
  const saved = download && { 'content-disposition': `attachment; filename="${id}.${download}"` }
  if (isLines) return streamed(lines(results), { 'content-type': ndjsonType, ...saved })
  const delivery =
    callbackUrl === null ? null : toDelivery(await jobs.findCallback(id), completedAtMs === null)
  return streamed(withResults({ ...head, delivery }, results), {
    'content-type': jsonType,
    ...saved,
  })
}

type JobOfTracking = Awaited<ReturnType<JobTracking['get']>>

const streamed = (
  chunks: AsyncIterable<Uint8Array>,
  headers: Record<string, string>,
): RouteResponse => new RouteResponse(Readable.from(chunks, { objectMode: false }), { headers })

async function* withResults(
  head: object,
  results: AsyncIterable<JsonPieces>,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${JSON.stringify(head).slice(0, -1)},"results":[`)
  let isFirst = true
  for await (const result of results) {
    if (!isFirst) yield Buffer.from(',')
    isFirst = false
    yield* slicesOf(result)
  }
  yield Buffer.from(']}')
}

async function* lines(results: AsyncIterable<JsonPieces>): AsyncGenerator<Uint8Array> {
  for await (const result of results) {
    yield* slicesOf(result)
    yield Buffer.from('\n')
  }
}
