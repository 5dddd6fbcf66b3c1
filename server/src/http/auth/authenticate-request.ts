import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { AuthMethods } from '../../accounts/authenticator.ts'
import type { RateLimit } from '../../accounts/rate-limit.ts'
import type { Account } from '../../domain/account/account.ts'
import { Failure } from '../../domain/failure.ts'
import type { NewWork } from '../../tasks/admission-control.ts'
import { clientAddress } from '../requests/client-address.ts'
import { embeddableHeaders } from '../responses/security-headers.ts'
import type { Route } from '../route.ts'
import type { UseCases } from '../use-cases.ts'
import { refuseAmbientCredentials, refuseForeignOrigin } from './ambient-credentials.ts'
import { offeredCredentials } from './credentials.ts'
import type { OwnOrigins } from './own-origins.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated account; null before authentication and on open routes. */
    account: Account | null
  }
}

/**
 * Creates the hook that authenticates the caller and applies admission control and rate limit, before the
 * body is read. It takes a callback, since most callers are found in a cache without waiting.
 */
export function authenticateRequest(useCases: UseCases, conditions: Conditions) {
  const { consumeRateLimit, admissionControl, operator } = useCases
  const { limit, newWork, isForOperator } = conditions
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    // This comes first, since authentication may need the store that is overloaded.
    if (newWork) admissionControl.requireNotOverloaded()
    const caller = authenticate(request, reply, useCases, conditions)
    if (caller instanceof Promise || limit || isForOperator)
      acceptLater(caller).then(() => done(), done)
    else {
      accept(caller)
      done()
    }

    function accept(account: Account): void {
      request.account = account
      // A replay with an idempotency key adds no work; only the use case can tell whether it is one.
      const mayBeReplay = 'idempotency-key' in request.headers
      if (newWork && !mayBeReplay) admissionControl.requireQueueCapacity(newWork, account.id)
    }

    async function acceptLater(found: Account | Promise<Account>): Promise<void> {
      const account = await found
      if (isForOperator) await operator.requireOperator(account)
      accept(account)
      if (!limit) return
      const { isWithin, remainingCount, resetSeconds } = await consumeRateLimit(limit, account.id)
      reply.headers({
        'ratelimit-policy': `"${limit.name}";q=${limit.requestsMax};w=${limit.windowSeconds}`,
        ratelimit: `"${limit.name}";r=${remainingCount};t=${resetSeconds}`,
      })
      if (!isWithin) throw tooManyRequests(limit, resetSeconds)
    }
  }
}

interface Conditions {
  limit: RateLimit | undefined
  methods: AuthMethods
  newWork: NewWork | undefined
  findLinkOwner: Route['findLinkOwner'] | undefined
  isForOwnPagesOnly: boolean
  isForOperator: boolean
  own: OwnOrigins
}

/** A valid signed link wins over credentials in the same request. */
function authenticate(
  request: FastifyRequest,
  reply: FastifyReply,
  useCases: UseCases,
  { methods, findLinkOwner, isForOwnPagesOnly, own }: Conditions,
): Account | Promise<Account> {
  const byCredentials = () => {
    const offered = offeredCredentials(request.headers, clientAddress(request))
    const account = useCases.authenticator.authenticate(offered, methods)
    const refusal =
      refuseAmbientCredentials(request.raw, { offered, methods, own }) ??
      (isForOwnPagesOnly ? refuseForeignOrigin(request.raw, own) : undefined)
    // Wrong credentials get 401 first, so that 403 is about valid ones only.
    return refusal ? Promise.resolve(account).then(() => Promise.reject(refusal)) : account
  }
  const { params, query } = request as FastifyRequest<{
    Params: Record<string, string>
    Querystring: Record<string, unknown>
  }>
  const owner = findLinkOwner?.({ params, query }, useCases)
  if (!owner) return byCredentials()
  return owner.then((found) => {
    if (!found) return byCredentials()
    reply.headers(embeddableHeaders)
    return found
  })
}

export const tooManyRequests = (
  { requestsMax, windowSeconds }: RateLimit,
  retryAfterSeconds: number,
) =>
  new Failure('RATE_LIMITED', `More than ${requestsMax} requests in ${windowSeconds} s. Wait.`, {
    retryAfterSeconds,
  })
