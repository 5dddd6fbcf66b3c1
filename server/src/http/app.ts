import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { Failure } from '../domain/failure.ts'
import type { Log } from '../runtime/log.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { errorResponder } from './answer-error.ts'
import { answerClientError } from './client-error.ts'
import { boundConnections, type ConnectionLimits } from './connections.ts'
import { correlationIdOf } from './correlation.ts'
import type { FamilyName } from './family.ts'
import { readJsonBody } from './json-body.ts'
import { describeApi } from './openapi.ts'
import { type OwnOriginSettings, OwnOrigins } from './own-origins.ts'
import { statusOf } from './problem.ts'
import { referencePage } from './reference-page.ts'
import { strictHeaders } from './response-headers.ts'
import type { Route } from './route.ts'
import { addRoute, pathsTaken } from './serve-route.ts'
import type { UseCases } from './use-cases.ts'

export interface AppOptions extends OwnOriginSettings {
  routes: readonly Route[]
  useCases: Omit<UseCases, 'apiDocument' | 'referencePage'>
  bodyBytesMax: number
  trustProxy: readonly string[]
  connectionsMax: ConnectionLimits['connectionsMax']
  /** A request that takes longer to arrive is not being sent, it is being held; an answer likewise. */
  requestTimeoutMs: number
  drain: Drain
  log: Log
  metrics: Metrics
}

/** How far the service is on its way out; the health checks look at it too. */
export interface Drain {
  isDraining: boolean
  isRefusing: boolean
}

const urlCharactersMax = 8192
const timeoutsCheckedEveryMs = 1_000
const referencePath = '/reference'

/** The HTTP side of the service, not yet listening. */
export function createApp(options: AppOptions): FastifyInstance {
  const { routes, drain, log, metrics, requestTimeoutMs, connectionsMax } = options
  const isDebugging = log.isLevelEnabled('debug')
  const answerError = errorResponder({ log, metrics })
  const whereElse = routes.some(({ path }) => path === referencePath)
    ? `See ${referencePath} for every path.`
    : `This process serves ${routes.map(({ path }) => path).join(', ')} only; the API is where TRAWL_ROLES has "api".`
  const app = fastify({
    bodyLimit: options.bodyBytesMax,
    trustProxy: options.trustProxy.length > 0 ? [...options.trustProxy] : false,
    genReqId: (request) => correlationIdOf(request.headers['x-request-id']),
    requestTimeout: requestTimeoutMs,
    // An id that is too long to be one is unknown like any other; the URL as a whole has the limit.
    routerOptions: { maxParamLength: urlCharactersMax },
    // Stopping is ours to announce: see `server.ts`.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    http: {
      // Judged in `faultOfRequestLine`, so that the answer has our body.
      requireHostHeader: false,
      headersTimeout: requestTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: timeoutsCheckedEveryMs,
    },
    clientErrorHandler: answerClientError,
    frameworkErrors: answerError,
  })
  const connections = boundConnections(app.server, {
    connectionsMax,
    unreadMsMax: requestTimeoutMs,
  })
  // Otherwise Node answers a strange `Expect` by itself, with no body.
  app.server.on('checkExpectation', (request, response) =>
    app.server.emit('request', request, response),
  )

  app.decorateRequest('account', null)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, readJsonBody)

  // Hooks on every request take a callback: promises would cost more than what these do.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(strictHeaders).header('x-request-id', request.id)
    const refusal =
      drain.isRefusing && !isProbe(request)
        ? shuttingDown()
        : connections.isFlooded(request.raw.socket)
          ? flooding()
          : undefined
    // From the first moment of draining, so that who keeps a connection goes elsewhere in time.
    if (refusal || drain.isDraining) reply.header('connection', 'close')
    done(refusal ?? faultOfRequestLine(request))
  })
  app.setErrorHandler(answerError)
  app.setNotFoundHandler((request, reply) => {
    reply.raw.once('finish', () => observe('unknown', request, reply))
    throw new Failure('NOT_FOUND', `There is nothing here. ${whereElse}`)
  })

  const useCases = { ...options.useCases, ...describedBy(routes) }
  // Each route knows its name; asking Fastify for it on every request costs more than the observing.
  app.addHook('onRoute', (route) => {
    route.onResponse = (request, reply, done) => {
      observe(route.url, request, reply)
      done()
    }
  })
  const own = new OwnOrigins(options)
  for (const route of routes) addRoute(app, route, { useCases, own })
  for (const [path, taken] of pathsTaken(routes)) refuseOtherMethods(app, path, taken)
  return app

  function observe(route: string, request: FastifyRequest, reply: FastifyReply): void {
    const labels = { method: request.method, route, status: reply.statusCode }
    metrics.requestSeconds.observe(labels, reply.elapsedTime / 1000)
    if (!isDebugging) return
    log.debug({ ...labels, requestId: request.id, ms: Math.round(reply.elapsedTime) }, 'answered')
  }
}

function describedBy(routes: readonly Route[]): Pick<UseCases, 'apiDocument' | 'referencePage'> {
  const api = describeApi(routes)
  const json = Buffer.from(JSON.stringify(api))
  const { body, headers } = referencePage(api)
  const page = { body: Buffer.from(String(body)), headers }
  return { apiDocument: () => json, referencePage: () => page }
}

const isProbe = (request: FastifyRequest): boolean =>
  (request.routeOptions.config as { isProbe?: boolean }).isProbe === true

const shuttingDown = () =>
  new Failure('SHUTTING_DOWN', 'This process is stopping. Ask again in a moment.')

const flooding = () =>
  new Failure('RATE_LIMITED', 'Too many requests on one connection. Wait for their answers.', {
    retryAfterSeconds: 1,
  })

function faultOfRequestLine({ raw }: FastifyRequest): Failure | undefined {
  if ((raw.url?.length ?? 0) > urlCharactersMax) {
    return new Failure('URI_TOO_LONG', `A URL may have ${urlCharactersMax} characters at most.`)
  }
  if (raw.headers.host === undefined && raw.httpVersion === '1.1') {
    return new Failure('BAD_REQUEST', 'The Host header is missing.')
  }
  return undefined
}

function refuseOtherMethods(
  app: FastifyInstance,
  path: string,
  { methods, family }: { methods: Set<string>; family: FamilyName },
): void {
  const allow = [...methods].sort().join(', ')
  app.route({
    method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
      (method) => !methods.has(method),
    ),
    url: path,
    config: { family },
    // Before the body: whatever it is, it is not wanted.
    onRequest: async (_request, reply) => {
      reply.code(statusOf.METHOD_NOT_ALLOWED).header('allow', allow)
      throw new Failure('METHOD_NOT_ALLOWED', `This path takes ${allow}.`)
    },
    handler: () => undefined,
  })
}
