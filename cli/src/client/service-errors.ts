import { ConnectionError, ScrapeError, TimeoutError, TrawlError, ValidationError } from '@trawl/sdk'
import { CommandFailure } from '../command-failure.ts'
import { printable } from '../output/terminal-text.ts'
import type { ChosenService } from './choose-service.ts'

/** No service responds at the URL. */
export class ServiceUnreachable extends Error {}

/** The service did not respond in time. */
export class ServiceTimedOut extends Error {}

/** Something responds at the URL that is no Trawl service. */
export class NotTheService extends TrawlError {
  constructor(message: string) {
    super(`${message} ${giveAddress}`, { code: 'NOT_THE_SERVICE' })
  }
}

/** An error response of the service, or of something before it. */
export class RequestRefused extends CommandFailure {
  /** The fields of the request that are not valid, such as `urls.3`. */
  readonly faultyFields: readonly string[]

  constructor(code: string, message: string, faultyFields: readonly string[]) {
    super(code, message)
    this.faultyFields = faultyFields
  }
}

const giveAddress = 'Give the address of the service by --server, TRAWL_URL or a profile.'

/** What a response says that no Trawl service gives. */
export const strangeResponse = (server: string, status: number): string =>
  `${originOf(server)} responded ${status}, but not as Trawl does: it is another server, or one in front of the service.`

/** The error of a call, in words for the user of the command line; one that is no such error stays. */
export function explainServiceError(error: unknown, service: ChosenService): unknown {
  if (!(error instanceof TrawlError) || error instanceof NotTheService) return error
  const origin = originOf(service.server)
  const reason = reasonOf(error)
  if (error instanceof TimeoutError || reason === 'UND_ERR_HEADERS_TIMEOUT') {
    return new ServiceTimedOut(`${origin} did not respond in time.`)
  }
  if (!(error instanceof ConnectionError)) return toRefusal(error, service)
  return new ServiceUnreachable(
    `No service answers at ${origin} (${reason}). Start it with "npm start", or give --server.`,
  )
}

function toRefusal(error: TrawlError, service: ChosenService): RequestRefused | NotTheService {
  const { status = 0 } = error
  const faults = error instanceof ValidationError ? error.detail : []
  const isOurs = error.code !== `HTTP_${status}` || faults.length > 0
  if (!isOurs) return refusalBefore(status, service)
  const code = error instanceof ScrapeError ? error.reason : error.code
  // The faults are listed one a line, so that a message which has them too is not repeated.
  const message = faults.length > 0 ? 'The request is not valid.' : messageIn(error.body)
  const advice = code === 'UNAUTHORIZED' ? ` ${keyAdvice(service)}` : ''
  const fields = faults.map(({ loc, msg }) => ({ name: loc.slice(1).join('.'), msg }))
  const lines = fields.map(({ name, msg }) => `\n  ${printable(`${name}: ${msg}`)}`)
  return new RequestRefused(
    code,
    `${printable(`${code}: ${message}`)}${advice}${lines.join('')}`,
    fields.map(({ name }) => name),
  )
}

/** For what a server before the service may respond, such as a reverse proxy. */
function refusalBefore(status: number, { server }: ChosenService): RequestRefused | NotTheService {
  const code = codesByStatus[status] ?? (status >= 500 ? 'INTERNAL_ERROR' : undefined)
  const message = strangeResponse(server, status)
  return code === undefined
    ? new NotTheService(message)
    : new RequestRefused(code, `${status}: ${message} ${giveAddress}`, [])
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
