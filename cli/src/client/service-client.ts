import { Trawl, type TrawlError } from '@trawl/sdk'
import { CommandFailure } from '../command-failure.ts'
import { sayDetail } from '../output/messages.ts'
import { printable } from '../output/terminal-text.ts'
import type { ChosenService } from './choose-service.ts'
import { findService } from './find-service.ts'
import {
  type CallExplanation,
  explainServiceError,
  NotTheService,
  strangeResponse,
} from './service-errors.ts'
import type { ServiceFlags } from './service-options.ts'

interface Patience {
  maxRetries: number
  timeout: number
}

/** Retries for about two minutes, enough for a restart of the service. */
export const patient: Patience = { maxRetries: 22, timeout: 180_000 }

/** The SDK's client of the service that a command calls. */
export const openService = (flags: ServiceFlags, patience?: Patience): Trawl =>
  connectTo(findService(flags), patience)

// A command calls one service, which is named where its errors are explained.
let called: ChosenService | undefined

export function connectTo(service: ChosenService, patience?: Patience): Trawl {
  const { server, apiKey, keyOrigin } = service
  // `fetch` would print the key in its error.
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(apiKey ?? '')) {
    throw new CommandFailure(
      'notAuthorised',
      `UNAUTHORIZED: The key of ${keyOrigin} has characters that no key has.`,
    )
  }
  called = service
  return new Trawl({
    baseUrl: new URL(server).origin,
    // Only what was chosen for this server is sent to it, whatever the environment has.
    apiKey: apiKey ?? null,
    password: null,
    fetch: fetchAloud,
    ...patience,
  })
}

/** An error of the client in words for the user of the command line. */
export function explainCall(error: TrawlError): CallExplanation {
  if (!called) throw error
  return explainServiceError(error, called)
}

const shownMax = 200

/** `fetch` that names each call with `--verbose`, and refuses what is no response of a service. */
async function fetchAloud(
  input: Parameters<typeof fetch>[0],
  init: RequestInit = {},
): Promise<Response> {
  const called = printable(`${init.method} ${input}`)
  const hasKey = new Headers(init.headers).has('x-api-key')
  sayDetail(`> ${called}${hasKey ? '  X-Api-Key: ***' : '  without a key'}`)
  const startedAtMs = performance.now()
  // Following a redirect would send the key to another host.
  const response = await fetch(input, { ...init, redirect: 'manual' })
  const { status, headers } = response
  sayDetail(`< ${status} ${called} in ${Math.round(performance.now() - startedAtMs)} ms`)
  const { origin } = new URL(String(input))
  if (response.ok && isOfService(response)) return response
  if (response.ok) throw new NotTheService(strangeResponse(origin, status))
  const location = status < 400 ? headers.get('location') : null
  if (location !== null) {
    const place = printable(location)
    throw new NotTheService(`${origin} redirects to ${place}, and a key is not sent on.`)
  }
  const text = await response.text()
  sayDetail(`  ${printable(text.slice(0, shownMax))}`)
  return new Response(text === '' ? null : text, response)
}

/** Other servers respond with pages. The service does so only with the page of a target. */
const isOfService = ({ status, headers }: Response): boolean =>
  status === 204 ||
  headers.get('content-length') === '0' ||
  headers.has('x-target-status') ||
  /^application\/(x-nd)?json|^text\/event-stream/.test(headers.get('content-type') ?? '')
