import { Failure, type FailureCode, failures } from '../domain/failure.ts'
import { printable } from '../runtime/printable-text.ts'
import { ServiceTimedOut, ServiceUnreachable } from './service-unreachable.ts'

// All attempts and pauses of a task take 15 minutes at most.
const responseMsMax = 16 * 60_000

interface ServiceRequest {
  url: URL
  apiKey: string | undefined
  body: unknown
}

/** Posts to the service like any API client. An error response throws a failure with its code. */
export async function postToService({ url, apiKey, body }: ServiceRequest): Promise<Response> {
  const response = await post(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(apiKey && { 'x-api-key': apiKey }) },
    body: JSON.stringify(body),
    // Following a redirect would send the key to another host.
    redirect: 'manual',
    signal: AbortSignal.timeout(responseMsMax),
  })
  if (response.ok) return response
  throw toFailure(response.status, await response.text(), url)
}

async function post(url: URL, request: RequestInit): Promise<Response> {
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

function toFailure(status: number, text: string, { origin }: URL): Failure {
  const body = parseErrorBody(text)
  const known = Object.keys(failures).find((code) => code === body.code)
  const code = (known as FailureCode | undefined) ?? codesByStatus[status] ?? 'INTERNAL_ERROR'
  const faults = Array.isArray(body.detail)
    ? body.detail.map(({ loc, msg }) => `\n  ${printable(`${loc?.slice(1).join('.')}: ${msg}`)}`)
    : []
  const message =
    typeof body.message === 'string'
      ? body.message
      : `${origin} responded ${status}: ${text.slice(0, textMax)}`
  const advice =
    code === 'UNAUTHORIZED' ? ' Give --api-key, or run this where the data folder is.' : ''
  return new Failure(code, `${known ?? status}: ${printable(message)}${advice}${faults.join('')}`)
}

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
