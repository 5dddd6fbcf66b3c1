import { z } from 'zod'
import type { FailureCode } from '../../domain/failure.ts'
import { selectorFault } from '../../domain/scrape/extract-options.ts'
import type { FinishedTask } from '../../tasks/results/finished-task.ts'
import { errorOf, toExtractionError } from '../../wire/extract/extraction-error.ts'
import { ExtractionError } from '../../wire/scrape/responses.ts'
import { type Fault, type Problem, ValidationObject } from './problem.ts'

/** The body of a 422 of an extraction; `detail` is there for a bad request only. */
export const ExtractionProblem = z
  .object({
    error: ExtractionError,
    tokens_charged: z.int().describe('Always 0.'),
    detail: ValidationObject.shape.detail.optional(),
  })
  .meta({ id: 'ExtractionProblem' })

/** The body for a request that was refused before it became a task. */
export function extractionProblem({ code, message, correlation_id, detail }: Problem['body']) {
  const error = toExtractionError({ code: code as FailureCode, message }, correlation_id)
  return {
    error: detail ? { ...error, code: codeOfFaults(detail) } : error,
    tokens_charged: 0,
    ...(detail && { detail }),
  }
}

/** The body for a task that has no result. */
export function failedExtraction({ task }: FinishedTask, correlationId: string) {
  const error = errorOf(task)
  if (!error) throw new Error('A task without a result has an error.')
  return { error: toExtractionError(error, correlationId), tokens_charged: 0 }
}

/** Clients of `/v1` tell some bad fields by the code of the error. */
function codeOfFaults(faults: readonly Fault[]): z.infer<typeof ExtractionError>['code'] {
  const isAt = (place: string, type: string) =>
    faults.some((fault) => fault.type === type && fault.loc.join('.') === place)
  if (isAt('body.url', 'url_parsing')) return 'INVALID_URL'
  if (isAt('body.wait_config.wait_for', selectorFault)) return 'INVALID_WAIT_FOR_SELECTOR'
  return 'UNPROCESSABLE_CONTENT'
}
