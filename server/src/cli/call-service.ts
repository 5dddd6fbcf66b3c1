import { Failure, type FailureCode, failures } from '../domain/failure.ts'
import { redactUrl } from '../domain/redact-url.ts'
import { printable } from '../runtime/printable-text.ts'
import { sayDetail } from './messages.ts'
import { ServiceTimedOut, ServiceUnreachable } from './service-unreachable.ts'

interface ServiceCall {
  method: 'GET' | 'POST' | 'DELETE'
  url: URL
  apiKey: string | undefined
  headers?: Record<string, string>
  body?: unknown
  /** Ends the call, its response too. */
  signal?: AbortSignal
  /** How long the call may take, its response too; undefined for as long as data arrives. */
  timeoutMs?: number
  /** Whether the body of an error response is what the caller asked for. */
  isExpectedError?(body: string): boolean
}

/** Calls the service like any API client. An error response throws a failure with its code. */
export async function callService(call: ServiceCall): Promise<Response> {
  const { method, url, apiKey, body, signal, timeoutMs } = call
  const signals = [signal, timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)]
  const startedAtMs = performance.now()
  const called = printable(`${method} ${redactUrl(url.href)}`)
  sayDetail(`> ${called}${apiKey ? '  X-Api-Key: ***' : '  without a key'}`)
  const response = await send(url, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(apiKey && { 'x-api-key': apiKey }),
      ...call.headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    // Following a redirect would send the key to another host.
    redirect: 'manual',
    signal: AbortSignal.any(signals.filter((one) => one !== undefined)),
  }).catch((error: unknown) => {
    signal?.throwIfAborted()
    throw error
  })
  const elapsedMs = Math.round(performance.now() - startedAtMs)
  sayDetail(`< ${response.status} ${called} in ${elapsedMs} ms`)
  if (response.ok) return response
  const text = await response.text()
  if (call.isExpectedError?.(text)) return new Response(text, response)
  throw toRefusal(response, text, url)
}

async function send(url: URL, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request)
  } catch (error) {
    const { name, cause } = error as Error & { cause?: NodeJS.ErrnoException }
    const isLate = name === 'TimeoutError' || cause?.code === 'UND_ERR_HEADERS_TIMEOUT'
    if (isLate) throw new ServiceTimedOut(`${url.origin} did not respond in time.`)
    throw new ServiceUnreachable(
      `No service answers at ${url.origin} (${cause?.code ?? cause?.message ?? name}). Start it with "npm start", or give --server.`,
    )
  }
}

/** An error response of the service. */
export class RequestRefused extends Failure {
  /** The fields of the request that are not valid, such as `urls.3`. */
  readonly faultyFields: readonly string[]

  constructor(
    code: FailureCode,
    message: string,
    given: { retryAfterSeconds: number | undefined; faultyFields: readonly string[] },
  ) {
    super(
      code,
      message,
      given.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: given.retryAfterSeconds },
    )
    this.faultyFields = given.faultyFields
  }
}

/** For a response that is not one of ours, such as a reverse proxy's. */
const codesByStatus: Record<number, FailureCode> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  429: 'RATE_LIMITED',
  504: 'TARGET_TIMEOUT',
}

const textMax = 200

interface ErrorBody {
  code?: unknown
  message?: unknown
  detail?: { loc?: unknown[]; msg?: unknown }[]
}

function toRefusal({ status, headers }: Response, text: string, { origin }: URL): RequestRefused {
  const body = parseErrorBody(text)
  const known = Object.keys(failures).find((code) => code === body.code)
  const code = (known as FailureCode | undefined) ?? codesByStatus[status] ?? 'INTERNAL_ERROR'
  const faults = (Array.isArray(body.detail) ? body.detail : []).map(({ loc, msg }) => ({
    field: String(loc?.slice(1).join('.')),
    msg,
  }))
  const message =
    typeof body.message === 'string'
      ? body.message
      : `${origin} responded ${status}: ${text.slice(0, textMax)}`
  const advice =
    code === 'UNAUTHORIZED'
      ? ' Give --api-key or TRAWL_API_KEY, save it with "npx trawl profile save", or run this where the data folder is.'
      : ''
  const lines = faults.map(({ field, msg }) => `\n  ${printable(`${field}: ${msg}`)}`)
  return new RequestRefused(
    code,
    `${known ?? status}: ${printable(message)}${advice}${lines.join('')}`,
    {
      retryAfterSeconds: secondsIn(headers.get('retry-after')),
      faultyFields: faults.map(({ field }) => field),
    },
  )
}

/** Our service gives seconds; a date, as other servers may give, is not worth reading. */
const secondsIn = (header: string | null): number | undefined =>
  header !== null && /^\d{1,6}$/.test(header) ? Number(header) : undefined

function parseErrorBody(text: string): ErrorBody {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== 'object' || body === null) return {}
    return 'error' in body ? { ...body, ...ofExtraction(body.error) } : body
  } catch {
    return {}
  }
}

/** An extraction names its failure inside `error`, with our own code as the reason. */
function ofExtraction(error: unknown): ErrorBody {
  const { message, details } = (error ?? {}) as {
    message?: unknown
    details?: { reason?: unknown }
  }
  return { code: details?.reason, message }
}
