import { Readable } from 'node:stream'
import { Failure, type FailureCode } from '../../domain/failure.ts'
import {
  base64Piece,
  bytesOf,
  type JsonPieces,
  joined,
  slicesOf,
} from '../../runtime/splice-json.ts'
import type { FinishedTask } from '../../tasks/results/finished-task.ts'
import type { FinishedResult } from '../../tasks/results/result-store.ts'
import { ResultObject } from '../../wire/scrape/responses.ts'
import { toResultJson } from '../../wire/scrape/to-responses.ts'
import { toProblem } from '../errors/problem.ts'
import { type ResponseBody, RouteResponse } from '../route.ts'

/** How the routes that respond with a task's result declare it. */
export const resultResponse = {
  description: 'The page, its image, or the result object.',
  body: ResultObject,
  alsoAs: ['text/html', 'image/*', 'text/plain'],
  headers: ['X-Target-Status', 'X-Target-Url', 'X-Engine', 'X-Attempts'],
} satisfies ResponseBody

/** The response with a task's result: the page, its image, or the result object with both. */
export function toResultResponse({ task, result }: FinishedTask): RouteResponse {
  if (task.error) throw new Failure(task.error.code, task.error.message)
  if (!result) throw new Failure('CANCELLED', 'The task was cancelled.')
  const { page } = result
  const { response_format, screenshot } = task.request.options
  const { body, headers } =
    response_format === 'json'
      ? assemble(toResultJson({ task, ...result }), { 'content-type': jsonType })
      : plain(result, screenshot.options.encoding)
  const resultHeaders = {
    'x-target-status': String(page.statusCode),
    // A page can make its own URL longer than clients accept in a header.
    ...(page.url.length <= headerUrlMax && { 'x-target-url': page.url }),
    'x-engine': page.engine,
    'x-attempts': String(task.attempts),
  }
  return new RouteResponse(body, { headers: { ...headers, ...resultHeaders } })
}

function plain({ content, image }: FinishedResult, encoding: 'base64' | 'binary'): RouteResponse {
  if (!image || 'url' in image) {
    const type = content.kind === 'json' ? jsonType : 'text/html; charset=utf-8'
    return new RouteResponse(content.bytes, { headers: { 'content-type': type } })
  }
  if (encoding === 'binary') {
    return new RouteResponse(image.bytes, { headers: { 'content-type': `image/${image.type}` } })
  }
  return assemble([base64Piece(image.bytes)], { 'content-type': 'text/plain; charset=utf-8' })
}

const copiedBytesMax = 2 ** 20

/** Small bodies are joined, which is faster. Large ones are streamed: a copy would block the event loop. */
export function assemble(pieces: JsonPieces, headers: Record<string, string> = {}): RouteResponse {
  const bytes = bytesOf(pieces)
  if (bytes <= copiedBytesMax) return new RouteResponse(joined(pieces), { headers })
  return new RouteResponse(Readable.from(slicesOf(pieces), { objectMode: false }), {
    headers: { ...headers, 'content-length': String(bytes) },
  })
}

/** The same with the task id as `X-Request-Id`. It responds with failures too, instead of throwing. */
export function toRealtimeResponse(finished: FinishedTask): RouteResponse {
  const { id } = finished.task
  try {
    const { body, headers } = toResultResponse(finished)
    return new RouteResponse(body, { headers: { ...headers, 'x-request-id': id } })
  } catch (error) {
    const { status, headers, body } = toProblem(error, id)
    return new RouteResponse(body, { status, headers: { ...headers, 'x-request-id': id } })
  }
}

/** The failures of a task that its target can cause. */
export const targetFailures = [
  'TARGET_UNREACHABLE',
  'TARGET_DNS_FAILED',
  'TARGET_TLS_FAILED',
  'TARGET_TIMEOUT',
  'RESPONSE_TOO_LARGE',
  'CONTENT_TOO_COMPLEX',
  'BAD_RESPONSE',
  'TOO_MANY_REDIRECTS',
  'SELECTOR_NOT_FOUND',
  'ACTION_FAILED',
  'SCREENSHOT_FAILED',
  'BROWSER_CRASHED',
] satisfies FailureCode[]

const headerUrlMax = 8_192
const jsonType = 'application/json; charset=utf-8'
