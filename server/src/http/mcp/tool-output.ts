import type { Readable } from 'node:stream'
import { z } from 'zod'
import { Failure } from '../../domain/failure.ts'
import { Semaphore, type SemaphoreCaller } from '../../runtime/semaphore.ts'
import { Turns } from '../../runtime/turns.ts'
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

/** The part of an output that a caller gets. */
interface TextSlice {
  text: string
  totalLength: number
}

/** What stands beside the output in our own block. */
type Facts = Record<string, unknown>

/**
 * The result of a call: our own block with what to know about the output, then the part of the output that
 * was asked for. They are separate, so that no page can write into what this service says.
 */
export function toToolResult(
  { text, totalLength }: TextSlice,
  { offset }: OutputRange,
  { facts, goOnWith }: { facts: Facts; goOnWith: string },
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
      next: `This is a part of the output. Go on with ${goOnWith} and offset ${nextOffset}.`,
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

export function sliceOfText(whole: string, { offset, max_length }: OutputRange): TextSlice {
  const text = whole.slice(offset, offset + max_length)
  const isCut = offset + text.length < whole.length
  return { text: withoutHalfCharacter(text, isCut), totalLength: whole.length }
}

/** A surrogate pair stays together: its first half belongs to the next part. */
const withoutHalfCharacter = (text: string, isCut: boolean): string =>
  isCut && text.length > 1 && /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text

/** Larger outputs are not parsed, since that takes the event loop's time and many times their memory. */
const parsedBytesMax = 8 * 2 ** 20

const parsing = new Semaphore({ atOnceMax: 4, waitingMax: 200, spareMax: 1 })

/** A body of the service's own making, such as the counts of a job. */
export const readJson = (
  response: CalledResponse,
  reader: SemaphoreCaller,
): Promise<Record<string, unknown>> =>
  whenParsable(() => parseBody(response), { ...reader, isPatient: true })

/** The part of a page that was asked for. */
export const sliceOfPage = (
  response: CalledResponse,
  range: OutputRange,
  reader: SemaphoreCaller,
): Promise<{ slice: TextSlice; facts: Facts }> =>
  whenParsable(async () => {
    if (bytesOfResponse(response) > parsedBytesMax) {
      return { slice: await sliceOfStream(response.body, range), facts: unparsedFacts }
    }
    const { whole, facts } = pageOutput(await parseBody(response))
    return { slice: sliceOfText(whole, range), facts }
  }, reader)

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

async function whenParsable<Read>(
  read: () => Promise<Read>,
  caller: SemaphoreCaller,
): Promise<Read> {
  const done = await parsing.run(read, caller)
  if (!done) throw tooManyPages()
  return done.result
}

async function parseBody({ body }: CalledResponse): Promise<Record<string, unknown>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    const piece = toBytes(chunk)
    bytes += piece.byteLength
    if (bytes > parsedBytesMax) throw tooLarge()
    chunks.push(piece)
  }
  return JSON.parse(Buffer.concat(chunks, bytes).toString('utf8'))
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

const PageContent = z.looseObject({ data: z.record(z.string(), z.unknown()).nullable() })

/**
 * The output of one page: its text as it is where one text is all there is, JSON of its `data` otherwise.
 * Everything beside the data is ours.
 */
export function pageOutput(body: Record<string, unknown>): { whole: string; facts: Facts } {
  const { data, ...facts } = PageContent.parse(body)
  const given = Object.entries(data ?? {}).filter(([, value]) => value !== null)
  const [first] = given
  if (!first) return { whole: '', facts }
  const [format, value] = first
  if (given.length === 1 && typeof value === 'string') {
    return { whole: value, facts: { ...facts, output: format } }
  }
  return { whole: JSON.stringify(data), facts: { ...facts, output: 'json' } }
}
