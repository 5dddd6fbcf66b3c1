import type { FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../domain/failure.ts'
import { AdmissionRejected } from '../domain/service/admission-rules.ts'
import type { Log } from '../runtime/log.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { endWith } from './client-error.ts'
import { type FamilyName, families } from './family.ts'
import { internalError, type Problem, toProblem, withErrorText } from './problem.ts'
import { strictHeaders } from './response-headers.ts'
import { translateFrameworkError } from './translate-framework-error.ts'

type AnswerError = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => void

/** The one error handler. It never throws, or Fastify would answer in its own words. */
export function errorResponder({ log, metrics }: { log: Log; metrics: Metrics }): AnswerError {
  return (thrown, request, reply) => {
    try {
      const error = asError(thrown)
      const translated = translateFrameworkError(error)
      const problem = problemOf(translated, request)
      if (translated instanceof AdmissionRejected) metrics.notTaken.inc({ code: translated.code })
      else if (problem.status >= 500) {
        const level = translated instanceof Failure ? 'warn' : 'error'
        log[level]({ requestId: request.id, code: problem.body.code, err: error }, 'request failed')
      }
      if (!(translated instanceof Failure)) removeHeaders(reply)
      sendProblem(problem, request, reply)
    } catch (error) {
      reply.hijack()
      if (reply.raw.headersSent) reply.raw.destroy()
      else endWith(request.raw.socket, internalError(request.id), request.id)
      log.error(
        { requestId: request.id, err: error },
        'failed to answer an error; connection closed',
      )
    }
  }
}

/** What is thrown need not be an error, and Fastify takes whatever else it is handed for an answer. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error
    ? thrown
    : new Error('Something was thrown that is no error.', { cause: thrown })

function problemOf(error: Error, request: FastifyRequest): Problem {
  const { family } = request.routeOptions.config as { family?: FamilyName }
  const plain = toProblem(error, request.id)
  return family && families[family].hasErrorText ? withErrorText(plain) : plain
}

/** After a bug, headers of the answer that was meant to be would be wrong, or the very fault. */
function removeHeaders(reply: FastifyReply): void {
  for (const name of Object.keys(reply.getHeaders())) {
    if (name !== 'connection') reply.removeHeader(name)
  }
}

/** As text, since Fastify would write an object by the schema that the route has for this status. */
function sendProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply): void {
  // Set again: what Fastify refuses by itself has passed no hook.
  reply.headers({ ...strictHeaders, 'x-request-id': request.id, ...problem.headers })
  reply.code(problem.status).type('application/json; charset=utf-8')
  void reply.send(JSON.stringify(problem.body))
}
