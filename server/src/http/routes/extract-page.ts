import { z } from 'zod'
import { ExtractRequest } from '../../domain/scrape/extract-request.ts'
import { planExtraction } from '../../domain/scrape/plan-extraction.ts'
import type { FinishedTask } from '../../tasks/results/finished-task.ts'
import { extractExamples } from '../../wire/extract/examples.ts'
import { awaitedExtractionJson } from '../../wire/extract/to-responses.ts'
import { AcceptedExtraction, Extraction } from '../../wire/scrape/responses.ts'
import { failedExtraction } from '../errors/extraction-problem.ts'
import { InvalidRequest } from '../errors/problem.ts'
import { explainKeyReuse, IdempotencyHeader, idempotencyOf } from '../requests/idempotency-key.ts'
import { singleHeaders } from '../requests/scrape-request.ts'
import { acceptedResponse } from '../responses/accepted.ts'
import { assemble, targetFailures } from '../responses/tasks.ts'
import { defineRoute, type Route, RouteResponse } from '../route.ts'

const extractPage = defineRoute('extract', {
  operationId: 'extractPage',
  request: 'POST /v1/extract',
  mayTakeLong: true,
  summary: 'Extract the content of a page',
  description:
    'Waits for the page, or with `processing_mode: "async"` responds with the id of a job. `X-Job-Id` is the id of either. Disconnecting cancels an extraction that is waited for.',
  // A synchronous extraction ignores the key, so it is validated in the handler.
  headers: z.object({ 'idempotency-key': z.string().optional().describe(aboutKey()) }),
  body: ExtractRequest,
  response: {
    description: 'The content of the page.',
    body: Extraction,
    headers: ['X-Job-Id'],
  },
  otherResponses: [
    {
      status: 202,
      description: 'The job is accepted.',
      body: AcceptedExtraction,
      headers: ['Location', 'X-Job-Id', 'Idempotency-Replayed'],
    },
  ],
  newWork: 'task',
  errorForm: 'extraction',
  failures: [
    'URL_NOT_ALLOWED',
    'NO_PROXY_AVAILABLE',
    'BROWSER_UNAVAILABLE',
    'CONFLICT',
    'CANCELLED',
    'EXPIRED',
    'CHALLENGE',
    'PROXY_FAILED',
    'UNSUPPORTED_CONTENT',
    ...targetFailures,
  ],
  examples: extractExamples,

  async handle({ account, body, headers, raw, disconnected, correlationId }, { tasks }) {
    const forwarded = body.configurations.keep_headers ? singleHeaders(raw.headers) : {}
    const { processing_mode, max_age: maxAgeMs } = body
    const request = {
      ...planExtraction(body.url, body, processing_mode),
      forwardedHeaders: forwarded,
    }
    if (processing_mode === 'sync') {
      const given = { request, maxAgeMs, metadata: null }
      return toSyncResponse(
        await tasks.runForCaller(account.id, given, disconnected),
        correlationId,
      )
    }
    // A scrape with the same key and body is another request.
    const idempotency = idempotencyOf(readKey(headers), { extract: raw.body })
    const { id, isReplay } = await tasks
      .submit(account.id, {
        request,
        maxAgeMs,
        callbackUrl: null,
        callsBackOnFailure: false,
        metadata: null,
        idempotency,
      })
      .catch(explainKeyReuse)
    return toAcceptedResponse(id, isReplay)
  },
})

function aboutKey(): string {
  return 'With `processing_mode: "async"`: the same key and body within 24 hours give the first response again instead of a second job.'
}

function readKey(headers: Record<string, string | undefined>): string | undefined {
  const parsed = IdempotencyHeader.safeParse(headers)
  if (parsed.success) return parsed.data['idempotency-key']
  const msg = 'String should match the documented pattern'
  throw new InvalidRequest([
    { loc: ['header', 'idempotency-key'], msg, type: 'string_pattern_mismatch' },
  ])
}

function toSyncResponse(finished: FinishedTask, correlationId: string): RouteResponse {
  const { task, result } = finished
  const headers = { 'x-job-id': task.id }
  if (result) return assemble(awaitedExtractionJson(task, result), headers)
  return new RouteResponse(failedExtraction(finished, correlationId), { status: 422, headers })
}

function toAcceptedResponse(id: string, isReplay: boolean): RouteResponse {
  const location = `/v1/extract/${id}`
  const body = { job_id: id, status: 'queued', status_url: location, estimated_tokens: 1 }
  return acceptedResponse(body, { location, jobId: id, isReplay })
}

export const extractPageRoutes: readonly Route[] = [extractPage]
