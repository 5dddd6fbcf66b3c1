import { z } from 'zod'
import { Failure, type FailureCode, failures } from '../../domain/failure.ts'

export const statusOf = {
  BAD_REQUEST: 400,
  VALIDATION_ERROR: 422,
  UNAUTHORIZED: 401,
  PAYMENT_REQUIRED: 402,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  URI_TOO_LONG: 414,
  UNSUPPORTED_MEDIA_TYPE: 415,
  HEADERS_TOO_LARGE: 431,
  URL_NOT_ALLOWED: 422,
  NO_PROXY_AVAILABLE: 422,
  RATE_LIMITED: 429,
  QUEUE_FULL: 429,
  OVERLOADED: 503,
  BROWSER_UNAVAILABLE: 503,
  SHUTTING_DOWN: 503,
  STORE_UNAVAILABLE: 503,
  STORE_FULL: 503,
  SEARCH_UNAVAILABLE: 503,
  INTERNAL_ERROR: 500,
  TARGET_UNREACHABLE: 422,
  TARGET_DNS_FAILED: 422,
  TARGET_TLS_FAILED: 422,
  TARGET_TIMEOUT: 504,
  ROBOTS_DISALLOWED: 422,
  OUT_OF_SCOPE: 422,
  RESPONSE_TOO_LARGE: 422,
  BAD_RESPONSE: 422,
  UNSUPPORTED_CONTENT: 422,
  CONTENT_TOO_COMPLEX: 422,
  CHALLENGE: 422,
  TOO_MANY_REDIRECTS: 422,
  SELECTOR_NOT_FOUND: 422,
  ACTION_FAILED: 422,
  PROXY_FAILED: 422,
  BROWSER_CRASHED: 422,
  SCREENSHOT_FAILED: 422,
  CANCELLED: 409,
  EXPIRED: 410,
} satisfies Record<FailureCode, number>

export const ErrorObject = z
  .object({
    code: z.string().describe('What went wrong; the reference lists every code.'),
    message: z.string().describe('What went wrong and what to do next, for a person.'),
    correlation_id: z.string().describe('Names this request in the log; also in `X-Request-Id`.'),
    retryable: z.boolean().describe('Whether repeating the request may succeed.'),
  })
  .meta({ id: 'ErrorObject' })

/** The error object of the whitelisted IPs. */
export const ErrorTextObject = ErrorObject.extend({
  error: z.string().describe('The same as a text; `Invalid input data.` for bad input.'),
}).meta({ id: 'ErrorTextObject' })

const Fault = z
  .object({
    loc: z
      .array(z.string())
      .describe(
        'Where the fault is: `body`, `query`, `path` or `header`, then the path to it; names are cut to 64 characters.',
      ),
    msg: z.string().describe('What is wrong.'),
    type: z.string().describe('The kind of fault.'),
  })
  .meta({ id: 'Fault' })

export type Fault = z.infer<typeof Fault>

export const ValidationObject = ErrorObject.extend({
  detail: z
    .array(Fault)
    .describe('Every fault of the request, 100 at most, never the input itself.'),
}).meta({ id: 'ValidationObject' })

/** Bad input, with the list of all faults. */
export class InvalidRequest extends Failure {
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[]) {
    super('VALIDATION_ERROR', `The request is not valid: ${describeFaults(faults)}`)
    this.faults = faults
  }
}

// `detail` has them all.
const describedMax = 5

function describeFaults(faults: readonly Fault[]): string {
  const described = faults.slice(0, describedMax).map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)
  const leftOut = faults.length - described.length
  const sentence = [...described, ...(leftOut > 0 ? [`and ${leftOut} more`] : [])].join('; ')
  return /[.?]$/.test(sentence) ? sentence : `${sentence}.`
}

export interface Problem {
  status: number
  headers: Record<string, string>
  body: z.infer<typeof ErrorObject> & { detail?: readonly Fault[]; error?: string }
}

// Long enough to relieve an overloaded service, short enough to notice its recovery.
const retryAfterSecondsDefault = 5

/** The error response. An error that is not a `Failure` is a bug, and the caller gets no detail of it. */
export function toProblem(error: unknown, correlationId: string): Problem {
  const failure = error instanceof Failure ? error : internalError(correlationId)
  const status = statusOf[failure.code]
  const { isRetryable } = failures[failure.code]
  const helpsToWait = (status === 429 || status === 503) && isRetryable
  const hasWait = helpsToWait || failure.retryAfterSeconds !== undefined
  const seconds = failure.retryAfterSeconds ?? retryAfterSecondsDefault
  return {
    status,
    headers: {
      ...(hasWait && { 'retry-after': String(seconds) }),
      ...(status === 401 && { 'www-authenticate': 'Basic realm="Trawl", charset="UTF-8"' }),
    },
    body: {
      code: failure.code,
      message: failure.message,
      correlation_id: correlationId,
      retryable: isRetryable,
      ...(failure instanceof InvalidRequest ? { detail: failure.faults } : {}),
    },
  }
}

export const internalError = (correlationId: string) =>
  new Failure('INTERNAL_ERROR', `Something broke on our side. Please report ${correlationId}.`)

/** Clients of the whitelisted IPs expect 400 and a text, where others expect 422 and a list of faults. */
export function withErrorText(problem: Problem): Problem {
  const { detail, ...body } = problem.body
  if (body.code !== 'VALIDATION_ERROR')
    return { ...problem, body: { ...body, error: body.message } }
  return { ...problem, status: 400, body: { ...body, error: 'Invalid input data.' } }
}
