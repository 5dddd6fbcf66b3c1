import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { refuseForeignPage } from './auth/ambient-credentials.ts'
import { authenticateRequest } from './auth/authenticate-request.ts'
import type { OwnOrigins } from './auth/own-origins.ts'
import { handlerOf } from './call-route.ts'
import { asError } from './errors/error-handler.ts'
import { type FamilyName, isForOperator } from './family.ts'
import { clientAddress, sharerOf } from './requests/client-address.ts'
import { callerDisconnected, untilDisconnected } from './requests/disconnected.ts'
import { partsReader, requestParts } from './requests/validate.ts'
import { responseSerializer } from './responses/serialize-response.ts'
import { authMethodsOf, pathsOf, type Route, RouteResponse } from './route.ts'
import type { UseCases } from './use-cases.ts'

const jsonContentType = 'application/json; charset=utf-8'

/** Serves one declared route: validates the request and serializes the response by the schemas. */
export function addRoute(
  app: FastifyInstance,
  route: Route,
  { useCases, own }: { useCases: UseCases; own: OwnOrigins },
): void {
  const { status, contentType = jsonContentType } = route.response
  const { limit, family, newWork, findLinkOwner, errorForm } = route
  const { isProbe = false, isForOwnPagesOnly = false } = route
  const methods = authMethodsOf(route)
  const read = requestReader(route)
  const handle = handlerOf(route)
  const serialize = contentType === jsonContentType ? responseSerializer(route) : asIs
  const served: Omit<RouteOptions, 'url'> = {
    method: route.method,
    ...(route.bodyBytesMax !== undefined && { bodyLimit: route.bodyBytesMax }),
    exposeHeadRoute: route.method === 'GET',
    config: { family, isProbe, errorForm },
    // Without credentials to judge, a foreign page could still sign a person in or out.
    onRequest: methods
      ? authenticateRequest(useCases, {
          limit,
          methods,
          newWork,
          findLinkOwner,
          isForOwnPagesOnly,
          isForOperator: isForOperator(family),
          own,
        })
      : (request, _reply, done) => done(refuseForeignPage(request.raw, own)),
    // A value is sent synchronously: even a resolved promise would cost a turn of the event loop.
    handler: (request, reply) => {
      const { account, body } = request
      const watch = untilDisconnected(request)
      const validate = () => read(request, reply)
      // Probes wait for nobody, whatever else comes from their address.
      const valid =
        account || body !== undefined
          ? useCases.eventLoopShares.run(sharerOf(request), validate, { watch })
          : validate()
      const returned =
        valid instanceof Promise
          ? valid.then((checked) => handle(checked, useCases))
          : handle(valid, useCases)
      if (returned instanceof Promise) {
        const ended = account && useCases.callerPriority.begin(account.id)
        returned
          .then(respond)
          .catch((thrown) => void reply.send(asError(thrown)))
          .finally(ended)
      } else respond(returned)

      function respond(value: unknown): void {
        const response = value instanceof RouteResponse ? value : undefined
        const code = response?.status ?? status
        reply.code(code)
        if (status !== 204) reply.type(contentType)
        if (response) reply.headers(response.headers)
        const body = serialize(code, response ? response.body : value)
        void reply.send(request.method === 'HEAD' ? unread(body) : body)
      }
    },
  }
  for (const url of pathsOf(route)) app.route({ ...served, url })
}

/** Fastify reads the stream of a HEAD response to its end, for a batch every result of a page. */
function unread(body: unknown): unknown {
  if (!(body instanceof Readable)) return body
  body.destroy()
  return Readable.from([])
}

const asIs = (_status: number, body: unknown): unknown => body

/** The methods that each path accepts, and its family. A GET route serves HEAD too. */
export function methodsByPath(
  routes: readonly Route[],
): Map<string, { methods: Set<string>; family: FamilyName }> {
  const byPath = new Map<string, { methods: Set<string>; family: FamilyName }>()
  for (const route of routes) {
    const { method, family } = route
    for (const path of pathsOf(route)) {
      const { methods } = byPath.get(path) ?? { methods: new Set<string>() }
      byPath.set(path, { methods: methods.add(method), family })
      if (method === 'GET') methods.add('HEAD')
    }
  }
  return byPath
}

function requestReader(route: Route) {
  const read = partsReader(requestParts(route))
  return (request: FastifyRequest, reply: FastifyReply) =>
    new ValidatedRequest(request, reply, read(request))
}

/** What a handler gets. It is a class, since creating a literal with getters costs a microsecond each. */
class ValidatedRequest {
  readonly account: never
  readonly params: unknown
  readonly query: unknown
  readonly headers: unknown
  readonly body: unknown
  readonly correlationId: string
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply

  constructor(
    request: FastifyRequest,
    reply: FastifyReply,
    parts: { params: unknown; query: unknown; headers: unknown; body: unknown },
  ) {
    this.#request = request
    this.#reply = reply
    // `never` fits every family: the type of a route's declaration says whether there is an account.
    this.account = request.account as never
    this.params = parts.params
    this.query = parts.query
    this.headers = parts.headers
    this.body = parts.body
    this.correlationId = request.id
  }

  get raw() {
    const { body, headers } = this.#request
    return { body, headers, address: clientAddress(this.#request) }
  }

  get disconnected(): AbortSignal {
    const { raw } = this.#reply
    const controller = new AbortController()
    const onClose = () => {
      if (!raw.writableFinished) controller.abort(callerDisconnected())
    }
    if (raw.destroyed) onClose()
    else raw.once('close', onClose)
    return controller.signal
  }
}
