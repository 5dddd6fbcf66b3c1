import { Failure } from '../domain/failure.ts'
import { redactUrl } from '../domain/redact-url.ts'
import { printable } from '../runtime/printable-text.ts'
import { sayDetail } from './messages.ts'
import { notTheService, toRefusal } from './request-refused.ts'
import { ServiceTimedOut, ServiceUnreachable } from './service-unreachable.ts'

interface ServiceCall {
  method: 'GET' | 'POST' | 'DELETE'
  url: URL
  apiKey: string | undefined
  /** Where the key is from, for messages. */
  keyOrigin?: string | undefined
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
  const { method, url, apiKey, keyOrigin, body, signal, timeoutMs } = call
  requireSendable(apiKey, keyOrigin)
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
  const { status } = response
  if (response.ok && isOfService(response)) return response
  if (response.ok) throw notTheService({ status, headers: response.headers, origin: url.origin })
  const text = await response.text()
  if (call.isExpectedError?.(text)) return new Response(text, response)
  sayDetail(`  ${printable(text.slice(0, shownMax))}`)
  throw toRefusal({ status, headers: response.headers, text, origin: url.origin, keyOrigin })
}

const shownMax = 200

/** Other servers respond with pages. The service does so only with the page of a target. */
const isOfService = ({ status, headers }: Response): boolean =>
  status === 204 ||
  headers.get('content-length') === '0' ||
  headers.has('x-target-status') ||
  /^application\/(x-nd)?json|^text\/event-stream/.test(headers.get('content-type') ?? '')

/** `fetch` would print the key in its error. */
function requireSendable(apiKey = '', keyOrigin = ''): void {
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(apiKey)) return
  throw new Failure(
    'UNAUTHORIZED',
    `UNAUTHORIZED: The key of ${keyOrigin} has characters that no key has.`,
  )
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
