import type { Readable } from 'node:stream'
import type { z } from 'zod'
import { Failure } from '../../domain/failure.ts'
import {
  cutPage,
  type PagePart,
  type TextSlice,
  withoutHalfCharacter,
} from '../../domain/task/cut-page.ts'
import { Semaphore } from '../../runtime/sharing/semaphore.ts'
import { Turns } from '../../runtime/sharing/turns.ts'
import type { PageCutter } from '../../tasks/results/page-cutter.ts'
import type { CalledResponse } from '../call-route.ts'
import type { OutputArguments } from './mcp-tools.ts'

/** What a tool returns: text blocks, ours first. */
export interface ToolResult {
  content: ToolText[]
  isError?: true
  [field: string]: unknown
}

interface ToolText {
  type: 'text'
  text: string
  annotations?: { audience: ('user' | 'assistant')[] }
  _meta?: Record<string, unknown>
}

export type OutputRange = z.output<typeof OutputArguments>

/** What stands beside the output in our own block. */
type Facts = Record<string, unknown>

/**
 * The result of a call: our own block with what to know about the output, then the part of the output that
 * was asked for. They are separate, so that no page can write into what this service says.
 */
export function toToolResult(
  { text, totalLength }: TextSlice,
  { offset }: OutputRange,
  { facts, continueWith }: { facts: Facts; continueWith: string },
): ToolResult {
  const nextOffset = offset + text.length
  const isTruncated = nextOffset < totalLength
  const about = {
    ...facts,
    total_length: totalLength,
    offset,
    returned_length: text.length,
    ...(isTruncated && {
      truncated: true,
      next_offset: nextOffset,
      next: `This is a part of the output. Go on with ${continueWith} and offset ${nextOffset}.`,
    }),
  }
  return {
    content: [
      { type: 'text', text: JSON.stringify(about) },
      {
        type: 'text',
        text,
        annotations: { audience: ['assistant'] },
        _meta: { 'trawl/untrusted': true },
      },
    ],
  }
}

/**
 * Reads a response as text and keeps the part that was asked for only: the results of a batch can be larger
 * than what a process should hold.
 */
export async function sliceOfStream(body: Readable, range: OutputRange): Promise<TextSlice> {
  const { offset, max_length } = range
  const decoder = new TextDecoder()
  let [kept, totalLength] = ['', 0]
  const add = (text: string) => {
    const from = Math.max(offset - totalLength, 0)
    if (kept.length < max_length) kept += text.slice(from, from + max_length - kept.length)
    totalLength += text.length
  }
  const turns = new Turns()
  for await (const chunk of body) {
    for (const piece of piecesOf(toBytes(chunk))) {
      add(decoder.decode(piece, { stream: true }))
      if (turns.isOver) await turns.next()
    }
  }
  add(decoder.decode())
  return { text: withoutHalfCharacter(kept, offset + kept.length < totalLength), totalLength }
}

const toBytes = (chunk: string | Uint8Array): Uint8Array =>
  typeof chunk === 'string' ? Buffer.from(chunk) : chunk

/** A chunk may be a whole page. */
function* piecesOf(chunk: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < chunk.byteLength; from += pieceBytes) {
    yield chunk.subarray(from, from + pieceBytes)
  }
}

const pieceBytes = 2 ** 17

/** Larger outputs are not parsed, since that takes many times their memory. */
const parsedBytesMax = 8 * 2 ** 20

/** Parsing a smaller one takes a millisecond at most, and sending it to a thread half of that. */
const cutHereBytesMax = 2 ** 16

/** One at once, and three more for accounts that read none: each takes many megabytes while it is read. */
const pageTurns = new Semaphore({ atOnceMax: 1, waitingMax: 200, spareMax: 3 })

/** A body of the service's own making, such as the counts of a job. */
export const readJson = async (response: CalledResponse): Promise<Record<string, unknown>> =>
  JSON.parse((await readBody(response)).toString('utf8'))

export interface PageReader {
  accountId: string
  signal: AbortSignal
  cutPage: PageCutter
}

/** The part of a page that was asked for. */
export async function sliceOfPage(
  response: CalledResponse,
  range: OutputRange,
  reader: PageReader,
): Promise<PagePart> {
  const largeBytes = bytesOfResponse(response)
  // What has no length is in memory as a whole already.
  const body = largeBytes === 0 ? await readBody(response) : undefined
  if (body && body.byteLength <= cutHereBytesMax) return cutPage(body, range)
  const done = await pageTurns.run(async () => {
    if (largeBytes > parsedBytesMax) {
      return { slice: await sliceOfStream(response.body, range), facts: unparsedFacts }
    }
    return reader.cutPage(body ?? (await readBody(response)), range, reader)
  }, reader)
  if (!done) throw tooManyPages()
  return done.result
}

const unparsedFacts: Facts = {
  output: 'response',
  about_output:
    'This page is too large to be taken apart: the output is the JSON text of the whole job, with the page in its "data".',
}

/**
 * Whether the job of this page may be unparsed. A job has a few more fields than the response to the
 * extraction, and the offsets of a page have to count in the same text in every call.
 */
export const mayBeUnparsedAsJob = (response: CalledResponse): boolean =>
  bytesOfResponse(response) > parsedBytesMax - jobFieldsBytesMax

const jobFieldsBytesMax = 4096

/** Routes name the length of every large page. */
const bytesOfResponse = ({ headers }: CalledResponse): number =>
  Number(headers['content-length'] ?? 0)

async function readBody({ body }: CalledResponse): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    const piece = toBytes(chunk)
    bytes += piece.byteLength
    if (bytes > parsedBytesMax) throw tooLarge()
    chunks.push(piece)
  }
  return Buffer.concat(chunks, bytes)
}

const tooLarge = () =>
  new Failure(
    'RESPONSE_TOO_LARGE',
    'This output is too large for a tool. Ask for fewer formats, or use the HTTP API.',
  )

const tooManyPages = () =>
  new Failure(
    'RATE_LIMITED',
    'Too many pages are being read at once. This one is stored: find it with "jobs", read it with "job".',
    { retryAfterSeconds: 1 },
  )
