import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { AuthMethods } from '../accounts/authenticator.ts'
import type { RequestLimit } from '../accounts/request-limit.ts'
import type { Account } from '../domain/account/account.ts'
import { Failure } from '../domain/failure.ts'
import type { NewWork } from '../tasks/admission-control.ts'
import { refusalOfAmbient } from './ambient-credentials.ts'
import { offeredCredentials } from './credentials.ts'
import type { OwnOrigins } from './own-origins.ts'
import { embeddableHeaders } from './response-headers.ts'
import type { Route } from './route.ts'
import type { UseCases } from './use-cases.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who was let in with this request. */
    account: Account | null
  }
}

/**
 * A hook that names the caller and counts the request, before a byte of its body is looked at. It takes
 * a callback, since most callers are known without waiting for anything.
 */
export function authenticateRequest(useCases: UseCases, conditions: Conditions) {
  const { countAgainst, intake } = useCases
  const { limit, brings } = conditions
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    // First of all, as naming the caller may need the store that is out of breath.
    if (brings) intake.requireBreath()
    const known = identify(request, reply, useCases, conditions)
    if (known instanceof Promise || limit) letInLater(known).then(() => done(), done)
    else {
      letIn(known)
      done()
    }

    function letIn(account: Account): void {
      request.account = account
      // Whoever repeats a request adds nothing; that is found out once it is read.
      const mayRepeat = 'idempotency-key' in request.headers
      if (brings && !mayRepeat) intake.requireRoom(brings, account.id)
    }

    async function letInLater(identified: Account | Promise<Account>): Promise<void> {
      const account = await identified
      letIn(account)
      if (!limit) return
      const { isWithin, remainingCount, resetSeconds } = await countAgainst(limit, account.id)
      reply.headers({
        'ratelimit-policy': `"${limit.name}";q=${limit.requestsMax};w=${limit.windowSeconds}`,
        ratelimit: `"${limit.name}";r=${remainingCount};t=${resetSeconds}`,
      })
      if (!isWithin) throw tooMany(limit, resetSeconds)
    }
  }
}

interface Conditions {
  limit: RequestLimit | undefined
  admission: AuthMethods
  brings: NewWork | undefined
  findLinkOwner: Route['findLinkOwner'] | undefined
  own: OwnOrigins
}

/** A link that opens the route does so whatever else was brought along; otherwise credentials count. */
function identify(
  request: FastifyRequest,
  reply: FastifyReply,
  useCases: UseCases,
  { admission, findLinkOwner, own }: Conditions,
): Account | Promise<Account> {
  const byCredentials = () => {
    const offered = offeredCredentials(request.headers, request.ip)
    const account = useCases.gate.authenticate(offered, admission)
    const refusal = refusalOfAmbient(request.raw, { offered, admission, own })
    // Callers whom nobody knows get their 401: only right credentials can be misused.
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

const tooMany = ({ requestsMax, windowSeconds }: RequestLimit, retryAfterSeconds: number) =>
  new Failure('RATE_LIMITED', `More than ${requestsMax} requests in ${windowSeconds} s.`, {
    retryAfterSeconds,
  })
