import type { FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../../domain/failure.ts'
import { AdmissionRejected } from '../../domain/service/admission-rules.ts'
import type { Log } from '../../runtime/log.ts'
import type { Metrics } from '../../runtime/metrics.ts'
import type { FamilyName } from '../family.ts'
import { strictHeaders } from '../responses/security-headers.ts'
import type { Route } from '../route.ts'
import { lingerAfterResponse, respondAndClose } from './client-error.ts'
import { internalError } from './problem.ts'
import { type RouteProblem, toRouteProblem } from './route-problem.ts'
import { translateFrameworkError } from './translate-framework-error.ts'

type ErrorHandler = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => void

/** The only error handler. It never throws, since Fastify would then respond in its own format. */
export function createErrorHandler({ log, metrics }: { log: Log; metrics: Metrics }): ErrorHandler {
  return (thrown, request, reply) => {
    try {
      const error = asError(thrown)
      const translated = translateFrameworkError(error)
      const problem = problemOf(translated, request)
      if (translated instanceof AdmissionRejected)
        metrics.admissionRejected.inc({ code: translated.code })
      // What cannot succeed by waiting was refused on purpose, and is no trouble of the service.
      else if (problem.status >= 500 && problem.error.retryable) {
        const level = translated instanceof Failure ? 'warn' : 'error'
        log[level](
          { requestId: request.id, code: problem.error.code, err: error },
          'request failed',
        )
      }
      if (!(translated instanceof Failure)) removeHeaders(reply)
      lingerAfterResponse(request.raw, reply)
      sendProblem(problem, request, reply)
    } catch (error) {
      reply.hijack()
      if (reply.raw.headersSent) reply.raw.destroy()
      else respondAndClose(request.raw.socket, internalError(request.id), request.id)
      log.error(
        { requestId: request.id, err: error },
        'failed to send an error response; connection closed',
      )
    }
  }
}

/** Wraps thrown values that are not errors: Fastify would send them as a response. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error
    ? thrown
    : new Error('A value that is not an Error was thrown.', { cause: thrown })

const problemOf = (error: Error, request: FastifyRequest): RouteProblem =>
  toRouteProblem(
    error,
    request.routeOptions.config as { family?: FamilyName } & Pick<Route, 'errorForm'>,
    request.id,
  )

/** After a bug, headers meant for the successful response would be wrong, or may be the bug itself. */
function removeHeaders(reply: FastifyReply): void {
  for (const name of Object.keys(reply.getHeaders())) {
    if (name !== 'connection') reply.removeHeader(name)
  }
}

/** Sends text, since Fastify would serialize an object by the route's schema for this status. */
function sendProblem(problem: RouteProblem, request: FastifyRequest, reply: FastifyReply): void {
  // Set here too, since requests that Fastify refuses by itself have passed no hook.
  reply.headers({ ...strictHeaders, 'x-request-id': request.id, ...problem.headers })
  // To the script of a page: the browser would open its own password dialog over it.
  if (request.headers['sec-fetch-dest'] === 'empty') reply.removeHeader('www-authenticate')
  reply.code(problem.status).type('application/json; charset=utf-8')
  void reply.send(JSON.stringify(problem.body))
}
