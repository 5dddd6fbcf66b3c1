import { Readable } from 'node:stream'
import type { Account } from '../domain/account/account.ts'
import { Failure } from '../domain/failure.ts'
import { tooManyRequests } from './auth/authenticate-request.ts'
import { isForOperator } from './family.ts'
import { untilAborted } from './requests/disconnected.ts'
import { partsReader, requestParts } from './requests/validate.ts'
import { responseSerializer } from './responses/serialize-response.ts'
import { isHandledInTurn, type Route, RouteResponse } from './route.ts'
import type { UseCases } from './use-cases.ts'

/** A request to a route from inside the service, on behalf of a caller who is authenticated already. */
interface RouteCall {
  account: Account
  params: Record<string, unknown>
  query: Record<string, unknown>
  body: unknown
  disconnected: AbortSignal
  correlationId: string
}

export interface CalledResponse {
  status: number
  headers: Record<string, string>
  body: Readable
}

export type RouteCaller = (call: RouteCall, useCases: UseCases) => Promise<CalledResponse>

/**
 * Calls a route as an HTTP request would: the same admission control, rate limit, body limit, validation and
 * serialization. Only authentication is left out, since the account is known.
 */
export function createRouteCaller(route: Route, { bodyBytesMax }: { bodyBytesMax: number }) {
  const read = partsReader(requestParts(route))
  const handle = handlerOf(route)
  const serialize = responseSerializer(route)
  const bytesMax = route.bodyBytesMax ?? bodyBytesMax
  const call: RouteCaller = async (given, useCases) => {
    await admit(route, given.account, useCases)
    if (route.body) requireModestBody(given.body, bytesMax)
    const validate = () => read({ ...given, headers: {} })
    const watch = untilAborted(given.disconnected)
    const parts = await useCases.eventLoopShares.run(given.account.id, validate, { watch })
    const returned = await handle(
      {
        ...parts,
        // The type of a route's declaration says whether there is an account.
        account: given.account as never,
        // No header of this caller is meant for the target (`keep_headers`).
        raw: { body: given.body, headers: {}, address: '' },
        disconnected: given.disconnected,
        correlationId: given.correlationId,
      },
      useCases,
    )
    const response = returned instanceof RouteResponse ? returned : new RouteResponse(returned)
    const status = response.status ?? route.response.status
    const body = serialize(status, response.body)
    return { status, headers: response.headers, body: toStream(body) }
  }
  return call
}

async function admit(
  { newWork, limit, family }: Route,
  account: Account,
  { admissionControl, consumeRateLimit, operator }: UseCases,
): Promise<void> {
  const { id } = account
  if (isForOperator(family)) await operator.requireOperator(account)
  if (newWork) {
    admissionControl.requireNotOverloaded()
    admissionControl.requireQueueCapacity(newWork, id)
  }
  if (!limit) return
  const { isWithin, resetSeconds } = await consumeRateLimit(limit, id)
  if (!isWithin) throw tooManyRequests(limit, resetSeconds)
}

function requireModestBody(body: unknown, bytesMax: number): void {
  if (Buffer.byteLength(JSON.stringify(body) ?? '') <= bytesMax) return
  throw new Failure('PAYLOAD_TOO_LARGE', `This may have ${bytesMax} bytes of JSON at most.`)
}

/** A status without a schema, such as that of a failed extraction, leaves its body as an object. */
function toStream(body: unknown): Readable {
  if (body instanceof Readable) return body
  const isText = typeof body === 'string' || body instanceof Uint8Array
  return Readable.from([isText ? body : JSON.stringify(body)])
}

/** The handler of a route. Where accounts take turns, it waits for that of the caller. */
export function handlerOf(route: Route): Route['handle'] {
  if (!isHandledInTurn(route)) {
    return (request, useCases) => route.handle(request, useCases)
  }
  return (request, useCases) => {
    // The type of a route's declaration says whether there is an account.
    const { id: accountId } = request.account as Account
    const { requestTurns, readingTurns } = useCases
    if (!route.takesTurns)
      return requestTurns.handle(accountId, () => route.handle(request, useCases))
    const read = async () => route.handle(request, useCases)
    return readingTurns.take(read, { accountId, signal: request.disconnected })
  }
}
