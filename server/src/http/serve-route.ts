import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { Failure } from '../domain/failure.ts'
import { asError } from './answer-error.ts'
import { authenticateRequest } from './authenticate-request.ts'
import { type FamilyName, families } from './family.ts'
import type { OwnOrigins } from './own-origins.ts'
import { type Route, RouteResponse } from './route.ts'
import type { UseCases } from './use-cases.ts'
import { partsReader } from './validate.ts'

const jsonContentType = 'application/json; charset=utf-8'

/** Serves one declared route: reads the request by its schemas, writes the answer by its schema. */
export function addRoute(
  app: FastifyInstance,
  route: Route,
  { useCases, own }: { useCases: UseCases; own: OwnOrigins },
): void {
  const { status, contentType = jsonContentType } = route.answer
  const { limit, family, brings, findLinkOwner, isProbe = false } = route
  const { admission } = families[family]
  const read = requestReader(route)
  app.route({
    method: route.method,
    url: route.path,
    exposeHeadRoute: route.method === 'GET',
    config: { family, isProbe },
    schema: contentType === jsonContentType ? { response: responseSchema(route) } : {},
    ...(admission && {
      onRequest: authenticateRequest(useCases, { limit, admission, brings, findLinkOwner, own }),
    }),
    // Answers at once where it can: a promise that is there already still costs a turn.
    handler: (request, reply) => {
      const returned = route.handle(read(request, reply), useCases)
      if (returned instanceof Promise)
        returned.then(answer).catch((thrown) => void reply.send(asError(thrown)))
      else answer(returned)

      function answer(value: unknown): void {
        const special = value instanceof RouteResponse ? value : undefined
        reply.code(special?.status ?? status)
        if (status !== 204) reply.type(contentType)
        if (special) reply.headers(special.headers)
        void reply.send(special ? special.body : value)
      }
    },
  })
}

/** Which methods each path takes, and in which family it is; a GET answers HEAD too. */
export function pathsTaken(
  routes: readonly Route[],
): Map<string, { methods: Set<string>; family: FamilyName }> {
  const taken = new Map<string, { methods: Set<string>; family: FamilyName }>()
  for (const { path, method, family } of routes) {
    const { methods } = taken.get(path) ?? { methods: new Set<string>() }
    taken.set(path, { methods: methods.add(method), family })
    if (method === 'GET') methods.add('HEAD')
  }
  return taken
}

/** Reads only those parts of a request that the route has a schema for. */
function requestReader({ params, query, headers, body }: Route) {
  const parts = [
    { part: 'path', schema: params, key: 'params' },
    { part: 'query', schema: query, key: 'query' },
    { part: 'header', schema: headers, key: 'headers' },
    { part: 'body', schema: body, key: 'body' },
  ] as const
  const read = partsReader(parts.filter((one) => one.schema !== undefined))
  return (request: FastifyRequest, reply: FastifyReply) =>
    new ReadRequest(request, reply, read(request))
}

/** What a handler sees of a request; a class, since a getter in a literal costs a microsecond each time. */
class ReadRequest {
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
    // Whether a route has one is its family's matter, and checked where routes are declared.
    this.account = request.account as never
    this.params = parts.params
    this.query = parts.query
    this.headers = parts.headers
    this.body = parts.body
    this.correlationId = request.id
  }

  get raw() {
    return { body: this.#request.body, headers: this.#request.headers }
  }

  get hungUp(): AbortSignal {
    const { raw } = this.#reply
    const controller = new AbortController()
    const hangUp = () => {
      if (!raw.writableFinished) controller.abort(hungUpEarly())
    }
    if (raw.destroyed) hangUp()
    else raw.once('close', hangUp)
    return controller.signal
  }
}

/** Nobody is there any more to be told; a failure all the same, since it is no bug of ours. */
const hungUpEarly = () => new Failure('CANCELLED', 'The caller hung up before the answer.')

/** A fixed shape is faster to write, and a field that was not declared cannot leak. */
function responseSchema({ answer, otherAnswers = [] }: Route): Record<number, unknown> {
  const bodies = [answer, ...otherAnswers].filter(({ status }) => status !== 204)
  return Object.fromEntries(
    bodies.map(({ status, body }) => [
      status,
      z.toJSONSchema(body, { target: 'draft-7', io: 'input' }),
    ]),
  )
}
