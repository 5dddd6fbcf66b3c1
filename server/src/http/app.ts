import { randomUUIDv7 } from 'node:crypto'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { Failure } from '../domain/failure.ts'
import type { Log } from '../runtime/log.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { type OwnOriginSettings, OwnOrigins } from './auth/own-origins.ts'
import { type ConnectionLimits, limitConnections } from './connections.ts'
import { handleClientError } from './errors/client-error.ts'
import { createErrorHandler } from './errors/error-handler.ts'
import { statusOf } from './errors/problem.ts'
import type { FamilyName } from './family.ts'
import { createMcpEndpoint } from './mcp/mcp-endpoint.ts'
import { describeApi } from './openapi/describe-api.ts'
import { llmsText } from './pages/llms-text.ts'
import { referencePage } from './pages/reference-page.ts'
import { limitBodies } from './requests/bodies-in-flight.ts'
import { jsonBodyReader } from './requests/json-body.ts'
import { strictHeaders } from './responses/security-headers.ts'
import type { Route } from './route.ts'
import { addRoute, methodsByPath } from './serve-route.ts'
import type { ApiPage, UseCases, UseCasesOfRoutes } from './use-cases.ts'

export interface AppOptions extends OwnOriginSettings {
  routes: readonly Route[]
  useCases: Omit<UseCases, UseCasesOfRoutes>
  bodyBytesMax: number
  trustProxy: readonly string[]
  connectionsMax: ConnectionLimits['connectionsMax']
  /** How long a request may take to arrive (slowloris), and a caller to read on. */
  requestTimeoutMs: number
  drain: Drain
  log: Log
  metrics: Metrics
}

/** The stages of a graceful shutdown; the health checks read them too. */
export interface Drain {
  isDraining: boolean
  isRefusing: boolean
}

const urlCharactersMax = 8192
const timeoutCheckIntervalMs = 1_000
const referencePath = '/reference'

/** Builds the HTTP server with all routes, hooks and limits; `server.ts` makes it listen. */
export function createApp(options: AppOptions): FastifyInstance {
  const { routes, drain, log, metrics, requestTimeoutMs, connectionsMax } = options
  const isDebugging = log.isLevelEnabled('debug')
  const handleError = createErrorHandler({ log, metrics })
  const notFoundAdvice = routes.some(({ path }) => path === referencePath)
    ? `See ${referencePath} for every path.`
    : `This process serves ${routes.map(({ path }) => path).join(', ')} only; the API is where TRAWL_ROLES has "api".`
  const app = fastify({
    bodyLimit: options.bodyBytesMax,
    trustProxy: options.trustProxy.length > 0 ? [...options.trustProxy] : false,
    genReqId: (request) => correlationIdOf(request.headers['x-request-id']),
    requestTimeout: requestTimeoutMs,
    // An id of any length gets 404 like every unknown id; only the URL as a whole has a limit.
    routerOptions: { maxParamLength: urlCharactersMax },
    // `server.ts` does the graceful shutdown.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    http: {
      // `requestLineFault` checks this instead, so that the response has our error body.
      requireHostHeader: false,
      headersTimeout: requestTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: timeoutCheckIntervalMs,
    },
    clientErrorHandler: handleClientError,
    frameworkErrors: handleError,
  })
  const connections = limitConnections(app.server, {
    connectionsMax,
    unreadMsMax: requestTimeoutMs,
  })
  // Otherwise Node responds to an unknown `Expect` header by itself, without a body.
  app.server.on('checkExpectation', (request, response) =>
    app.server.emit('request', request, response),
  )

  app.decorateRequest('account', null)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    jsonBodyReader(options.useCases.eventLoopShares),
  )

  limitBodies(app)

  // Hooks that run on every request take a callback: a promise would cost more than their work.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(strictHeaders).header('x-request-id', request.id)
    const refusal =
      (isProbe(request) ? undefined : refusalOfAll()) ??
      (connections.isFlooding(reply.raw) ? flooding() : undefined)
    // Keep-alive ends as soon as draining begins, so that clients reconnect elsewhere in time.
    if (refusal || drain.isDraining) reply.header('connection', 'close')
    done(refusal ?? requestLineFault(request))
  })
  app.setErrorHandler(handleError)
  app.setNotFoundHandler((request, reply) => {
    reply.raw.once('finish', () => observe('unknown', request, reply))
    throw new Failure('NOT_FOUND', `There is no such path. ${notFoundAdvice}`)
  })

  const serveMcp = createMcpEndpoint(options)
  const useCases: UseCases = {
    ...options.useCases,
    ...lazyApiPages(routes),
    handleMcpMessage: (request) => serveMcp(request, useCases),
  }
  // The name of the route is bound here: asking Fastify for it on every request is expensive.
  app.addHook('onRoute', (route) => {
    route.onResponse = (request, reply, done) => {
      observe(route.url, request, reply)
      done()
    }
  })
  const own = new OwnOrigins(options)
  for (const route of routes) addRoute(app, route, { useCases, own })
  for (const [path, allowed] of methodsByPath(routes)) refuseOtherMethods(app, path, allowed)
  return app

  function refusalOfAll(): Failure | undefined {
    return options.useCases.storeRefusal() ?? (drain.isRefusing ? shuttingDown() : undefined)
  }

  function observe(route: string, request: FastifyRequest, reply: FastifyReply): void {
    const labels = { method: request.method, route, status: reply.statusCode }
    metrics.requestSeconds.observe(labels, reply.elapsedTime / 1000)
    if (!isDebugging) return
    log.debug({ ...labels, requestId: request.id, ms: Math.round(reply.elapsedTime) }, 'responded')
  }
}

/** Rendered for the first caller who wants them: describing the API takes 100 ms, which a start can do without. */
function lazyApiPages(routes: readonly Route[]): Pick<UseCases, ApiPage> {
  let rendered: ReturnType<typeof renderApiPages> | undefined
  const render = () => (rendered ??= renderApiPages(routes))
  return {
    apiDocument: () => render().json,
    referencePage: () => render().page,
    llmsText: () => render().index,
  }
}

function renderApiPages(routes: readonly Route[]) {
  const api = describeApi(routes)
  const { body, headers } = referencePage(api)
  return {
    json: Buffer.from(JSON.stringify(api)),
    index: Buffer.from(llmsText(api)),
    page: { body: Buffer.from(String(body)), headers },
  }
}

const isProbe = (request: FastifyRequest): boolean =>
  (request.routeOptions.config as { isProbe?: boolean }).isProbe === true

const shuttingDown = () =>
  new Failure('SHUTTING_DOWN', 'This process is shutting down. Try again in a moment.')

const flooding = () =>
  new Failure('RATE_LIMITED', 'Too many requests on one connection. Wait for their responses.', {
    retryAfterSeconds: 1,
  })

function requestLineFault({ raw }: FastifyRequest): Failure | undefined {
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
    onRequest: async (_request, reply) => {
      reply.code(statusOf.METHOD_NOT_ALLOWED).header('allow', allow)
      throw new Failure('METHOD_NOT_ALLOWED', `This path accepts ${allow} only.`)
    },
    handler: () => undefined,
  })
}

/** Takes the caller's `X-Request-Id` if it is safe to log, else generates one. */
const correlationIdOf = (given: string | string[] | undefined): string =>
  typeof given === 'string' && /^[A-Za-z0-9_-]{8,64}$/.test(given) ? given : randomUUIDv7()
