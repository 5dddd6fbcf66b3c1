import { Failure, type FailureCode, failures } from '../domain/failure.ts'
import { printable } from '../runtime/printable-text.ts'
import { NotTheService } from './service-unreachable.ts'

/** An error response of the service, or of something before it. */
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

/** A response that is no success, and whom it is from. */
export interface RefusingResponse {
  status: number
  headers: Headers
  text: string
  origin: string
  /** Where the key is from that was sent. */
  keyOrigin: string | undefined
}

/** The error for a response that is no success. */
export function toRefusal(response: RefusingResponse): RequestRefused | NotTheService {
  const { status, headers, text, origin } = response
  const body = parseErrorBody(text)
  const isOurs = body.code !== undefined || body.detail !== undefined
  const known = Object.keys(failures).find((code) => code === body.code)
  const code = (known as FailureCode | undefined) ?? codeOfStatus(status)
  if (!isOurs && code === undefined) return notTheService(response)
  const faults = (body.detail ?? []).map(({ loc, msg }) => ({
    field: String(loc?.slice(1).join('.')),
    msg,
  }))
  const message = isOurs ? messageOf(body, faults.length > 0) : strangeAnswer(origin, status)
  const advice = isOurs && code === 'UNAUTHORIZED' ? ` ${keyAdvice(response)}` : ''
  const lines = faults.map(({ field, msg }) => `\n  ${printable(`${field}: ${msg}`)}`)
  return new RequestRefused(
    code ?? 'INTERNAL_ERROR',
    `${known ?? status}: ${printable(message)}${advice}${lines.join('')}`,
    {
      retryAfterSeconds: secondsIn(headers.get('retry-after')),
      faultyFields: faults.map(({ field }) => field),
    },
  )
}

/** The error for a response that no Trawl service gives, whatever its status. */
export function notTheService({
  status,
  headers,
  origin,
}: Pick<RefusingResponse, 'status' | 'headers' | 'origin'>): NotTheService {
  const location = headers.get('location')
  const isRedirect = status >= 300 && status < 400 && location !== null
  return new NotTheService(
    isRedirect
      ? `${origin} redirects to ${printable(location)}, and a key is not sent on. ${giveAddress}`
      : strangeAnswer(origin, status),
  )
}

const giveAddress = 'Give the address of the service by --server, TRAWL_URL or a profile.'

const strangeAnswer = (origin: string, status: number): string =>
  `${origin} responded ${status}, but not as Trawl does: it is another server, or one in front of the service. ${giveAddress}`

/** The faults are listed one a line, so that a message which has them too is not repeated. */
const messageOf = ({ message }: ErrorBody, hasFaults: boolean): string =>
  hasFaults ? 'The request is not valid.' : (message ?? 'The service gave no reason.')

const keyAdvice = ({ keyOrigin, origin }: RefusingResponse): string =>
  keyOrigin === undefined
    ? 'Give --api-key or TRAWL_API_KEY, save it with "npx trawl profile save", or run this where the data folder is.'
    : `The key of ${keyOrigin} does not open ${origin}: check it, or make one there with "npx trawl keys create".`

/** What a server before the service may respond, such as a reverse proxy. */
const codeOfStatus = (status: number): FailureCode | undefined =>
  codesByStatus[status] ?? (status >= 500 ? 'INTERNAL_ERROR' : undefined)

const codesByStatus: Record<number, FailureCode> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  429: 'RATE_LIMITED',
  504: 'TARGET_TIMEOUT',
}

/** Our service gives seconds; a date, as other servers may give, is not worth reading. */
const secondsIn = (header: string | null): number | undefined =>
  header !== null && /^\d{1,6}$/.test(header) ? Number(header) : undefined

/** The fields of the error bodies of all families. */
interface ErrorBody {
  code?: string | undefined
  message?: string | undefined
  detail?: { loc?: unknown[]; msg?: unknown }[] | undefined
}

function parseErrorBody(text: string): ErrorBody {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== 'object' || body === null) return {}
    // An extraction names its failure inside `error`, with our own code as the reason.
    const { error } = body as { error?: { details?: { reason?: unknown } } }
    const said = { ...body, ...(typeof error === 'object' ? error : {}) } as Record<string, unknown>
    const { detail } = said
    return {
      code: textIn(error?.details?.reason) ?? textIn(said['code']),
      message: textIn(said['message']),
      detail: Array.isArray(detail) ? detail : undefined,
    }
  } catch {
    return {}
  }
}

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined
