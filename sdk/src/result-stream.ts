import { connectionErrorOf, pause } from './call-deadline.ts'
import { readChunks, readLines } from './read-lines.ts'
import { backoffMs } from './retry-rule.ts'
import { type CallOptions, type Query, readLater, type Transport } from './transport.ts'
import { ConnectionError } from './trawl-error.ts'

/** The jobs that have results. */
export type ResultKind = 'batch' | 'crawl'

const routes = {
  batch: 'GET /v1/batch/{job_id}',
  crawl: 'GET /v1/crawl/{job_id}',
} as const

export interface ResultOptions extends CallOptions {
  /** `none`: what became of each page, without what it was. */
  contents?: Query<(typeof routes)[ResultKind]>['contents']
  /**
   * How many results a job has that has ended. A connection that breaks off before the last of them is
   * then made again, up to ten times in a row, and those that were had are left out.
   */
  total?: number | undefined
}

const reconnectsMax = 10

/** All results of a batch or a crawl as they are now, a line of JSON each (NDJSON). */
export async function* streamResultLines(
  transport: Transport,
  kind: ResultKind,
  job_id: string,
  { total, ...options }: ResultOptions = {},
): AsyncGenerator<string, void, undefined> {
  let count = 0
  for (let failureCount = 0; ; ) {
    try {
      let index = 0
      for await (const line of connect(transport, kind, job_id, options)) {
        index++
        if (index <= count) continue
        count = index
        failureCount = 0
        yield line
      }
      if (total === undefined || count >= total) return
      throw connectionErrorOf(`the service sent ${count} of ${total} results`)
    } catch (error) {
      const isBroken = total !== undefined && error instanceof ConnectionError
      if (!isBroken || failureCount >= reconnectsMax) throw error
    }
    await pause(backoffMs(failureCount, Math.random()), options.signal)
    failureCount++
  }
}

/** The same, parsed. */
export async function* streamResults<Result>(
  ...given: Parameters<typeof streamResultLines>
): AsyncGenerator<Result, void, undefined> {
  for await (const line of streamResultLines(...given)) yield JSON.parse(line)
}

/** The lines of one connection. */
async function* connect(
  transport: Transport,
  kind: ResultKind,
  job_id: string,
  { contents, ...options }: ResultOptions,
): AsyncGenerator<string, void, undefined> {
  const headers = { accept: 'application/x-ndjson' }
  const input = { path: { job_id }, query: { contents }, options, headers }
  const { body } = await transport.send(routes[kind], input, readLater)
  for await (const line of readLines(explained(readChunks(body), options.signal))) {
    if (line !== '') yield line
  }
}

/** The same chunks; a broken connection is the error of this package. */
async function* explained<Chunk>(
  chunks: AsyncIterable<Chunk>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Chunk, void, undefined> {
  try {
    yield* chunks
  } catch (cause) {
    throw signal?.aborted ? signal.reason : connectionErrorOf(cause)
  }
}
