import type { Fault } from './api.ts'
import {
  AuthError,
  ConflictError,
  EngineUnavailableError,
  NotFoundError,
  RateLimitError,
  ScrapeError,
  ServerError,
  TrawlError,
  type TrawlErrorDetails,
  ValidationError,
} from './trawl-error.ts'

/** The fields of all error bodies of the service. */
interface ErrorBody {
  code?: string
  message?: string
  correlation_id?: string
  retryable?: boolean
  detail?: Fault[]
  details?: { reason?: string }
  error?: ErrorBody | string
}

/** Turns an unsuccessful response into the error to throw; `refusal` follows the message of a 401. */
export async function readError(
  response: Response,
  { baseUrl, refusal }: { baseUrl: string; refusal: string },
): Promise<TrawlError> {
  const { status, headers } = response
  const parsed = parseBody(await response.text())
  const body = parsed ?? {}
  // Extractions have the error object inside, beside the faults of the request.
  const said = typeof body.error === 'object' ? body.error : body
  const message =
    said.message === undefined
      ? `${baseUrl} responded ${status}, but not as Trawl does. Is it the URL of the service?`
      : said.message + (status === 401 ? refusal : '')
  const details: TrawlErrorDetails = {
    code: said.code ?? `HTTP_${status}`,
    status,
    correlationId: said.correlation_id ?? headers.get('x-request-id') ?? undefined,
    retryable: said.retryable ?? [429, 502, 503, 504].includes(status),
    retryAfter: readRetryAfter(headers.get('retry-after')),
    body: parsed,
  }
  if (Array.isArray(body.detail)) {
    return new ValidationError(message, { ...details, detail: body.detail })
  }
  const isOutcome = said.code !== undefined && [408, 422, 504].includes(status)
  if (isOutcome) {
    const jobId = headers.get('x-job-id') ?? undefined
    return new ScrapeError(message, { ...details, reason: said.details?.reason, jobId })
  }
  if (status === 503 && said.code === 'BROWSER_UNAVAILABLE') {
    return new EngineUnavailableError(message, details)
  }
  const Known = classes[status]
  if (Known) return new Known(message, details)
  if (status >= 500) return new ServerError(message, details)
  return badRequests.includes(status)
    ? new ValidationError(message, { ...details, detail: [] })
    : new TrawlError(message, details)
}

const classes: Record<number, new (message: string, details: TrawlErrorDetails) => TrawlError> = {
  401: AuthError,
  403: AuthError,
  404: NotFoundError,
  409: ConflictError,
  410: NotFoundError,
  429: RateLimitError,
}

const badRequests = [400, 405, 413, 414, 415, 422, 431]

function parseBody(text: string): ErrorBody | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined // from a proxy in between
  }
}

/** `Retry-After` in seconds; it may be a date. */
function readRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}
