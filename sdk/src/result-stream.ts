import { connectionErrorOf } from './call-deadline.ts'
import { readChunks, readLines } from './read-lines.ts'
import type { CallOptions, Query, Transport } from './transport.ts'

type JobWithResults = 'GET /v1/batch/{job_id}' | 'GET /v1/crawl/{job_id}'

export interface ResultOptions extends CallOptions {
  /** `none`: what became of each page, without what it was. */
  contents?: Query<JobWithResults>['contents']
}

/** All results of a batch or a crawl as they are now, one after the other (NDJSON). */
export async function* streamResults<Result>(
  transport: Transport,
  name: JobWithResults,
  job_id: string,
  { contents, ...options }: ResultOptions = {},
): AsyncGenerator<Result, void, undefined> {
  const headers = { accept: 'application/x-ndjson' }
  const body = await transport.send(
    name,
    { path: { job_id }, query: { contents }, options, headers },
    (response, stopTimer) => {
      stopTimer() // how long it takes from here on is up to the reader
      return response.body
    },
  )
  for await (const line of readLines(explained(readChunks(body), options.signal))) {
    if (line !== '') yield JSON.parse(line)
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
