import { ConnectionError, ScrapeError, TimeoutError, TrawlError, ValidationError } from '@trawl/sdk'
import { exitCodeOf, exitCodes } from '../command-failure.ts'
import { printable } from '../output/terminal-text.ts'
import type { ChosenService } from './choose-service.ts'

/** What is said of an error of a call. */
export interface CallExplanation {
  message: string
  exitCode: number
  /** The code of the service, where it refused the request. */
  code?: string
}

/** Something responds at the URL that is no Trawl service. */
export class NotTheService extends TrawlError {
  constructor(message: string) {
    super(`${message} ${giveAddress}`, { code: 'NOT_THE_SERVICE' })
  }
}

const giveAddress = 'Give the address of the service by --server, TRAWL_URL or a profile.'

/** What a response says that no Trawl service gives. */
export const strangeResponse = (server: string, status: number): string =>
  `${originOf(server)} responded ${status}, but not as Trawl does: it is another server, or one in front of the service.`

export function explainServiceError(error: TrawlError, service: ChosenService): CallExplanation {
  if (error instanceof NotTheService) return unreachable(error.message)
  const origin = originOf(service.server)
  const reason = reasonOf(error)
  if (error instanceof TimeoutError || reason === 'UND_ERR_HEADERS_TIMEOUT') {
    return { message: `${origin} did not respond in time.`, exitCode: exitCodes.timedOut }
  }
  if (!(error instanceof ConnectionError)) return explainRefusal(error, service)
  return unreachable(
    `No service answers at ${origin} (${reason}). Start it with "npm start", or give --server.`,
  )
}

const unreachable = (message: string): CallExplanation => ({
  message,
  exitCode: exitCodes.unreachable,
})

const refused = (code: string, message: string): CallExplanation => ({
  message,
  exitCode: exitCodeOf(code),
  code,
})

function explainRefusal(error: TrawlError, service: ChosenService): CallExplanation {
  const { status = 0 } = error
  const faults = error instanceof ValidationError ? error.detail : []
  const isOurs = error.code !== `HTTP_${status}` || faults.length > 0
  if (!isOurs) return refusedBefore(status, service)
  const code = error instanceof ScrapeError ? error.reason : error.code
  // The faults are listed one a line, so that a message which has them too is not repeated.
  const message = faults.length > 0 ? 'The request is not valid.' : messageIn(error.body)
  const advice = code === 'UNAUTHORIZED' ? ` ${keyAdvice(service)}` : ''
  const lines = faults.map(({ loc, msg }) => `\n  ${printable(`${fieldAt(loc)}: ${msg}`)}`)
  return refused(code, `${printable(`${code}: ${message}`)}${advice}${lines.join('')}`)
}

/** The name of the field of a request that is not valid, such as `urls.3`. */
export const fieldAt = (loc: readonly string[]): string => loc.slice(1).join('.')

/** For what a server before the service may respond, such as a reverse proxy. */
function refusedBefore(status: number, { server }: ChosenService): CallExplanation {
  const code = codesByStatus[status] ?? (status >= 500 ? 'INTERNAL_ERROR' : undefined)
  const message = `${strangeResponse(server, status)} ${giveAddress}`
  return code === undefined ? unreachable(message) : refused(code, `${status}: ${message}`)
}

const codesByStatus: Record<number, string> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  429: 'RATE_LIMITED',
  504: 'TARGET_TIMEOUT',
}

const keyAdvice = ({ keyOrigin, server }: ChosenService): string =>
  keyOrigin === undefined
    ? 'Give --api-key or TRAWL_API_KEY, save it with "npx trawl profile save", or run this where the data folder is.'
    : `The key of ${keyOrigin} does not open ${originOf(server)}: check it, or make one there with "npx trawl keys create".`

/** The words of the service itself: the SDK adds advice about its own options. */
function messageIn(body: unknown): string {
  const { error, message } = (body ?? {}) as { error?: { message?: unknown }; message?: unknown }
  const said = error?.message ?? message
  return typeof said === 'string' ? said : 'The service gave no reason.'
}

/** `fetch` wraps what the system said. */
function reasonOf({ cause, message }: TrawlError): string {
  const inner = cause instanceof Error ? (cause.cause ?? cause) : undefined
  const { code, message: words } = (inner ?? {}) as NodeJS.ErrnoException
  return code ?? words ?? message
}

const originOf = (server: string): string => new URL(server).origin
