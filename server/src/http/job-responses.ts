import { Readable } from 'node:stream'
import { type JsonPieces, slicesOf } from '../runtime/splice-json.ts'
import { RouteResponse } from './route.ts'

export const ndjsonType = 'application/x-ndjson'
const jsonType = 'application/json; charset=utf-8'

/** A job with a page of its results. They are read while they are sent, so one is in memory at a time. */
export const jobResponse = (head: object, results: AsyncIterable<JsonPieces>): RouteResponse =>
  streamed(withResults(head, results), jsonType)

/** Every result of a job, each on a line of its own. */
export const ndjsonResponse = (results: AsyncIterable<JsonPieces>): RouteResponse =>
  streamed(lines(results), ndjsonType)

const streamed = (chunks: AsyncIterable<Uint8Array>, type: string): RouteResponse =>
  new RouteResponse(Readable.from(chunks, { objectMode: false }), {
    headers: { 'content-type': type },
  })

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
