import { type FamilyName, hasErrorText } from '../family.ts'
import type { Route } from '../route.ts'
import { extractionProblem } from './extraction-problem.ts'
import { type Problem, toProblem, withErrorText } from './problem.ts'

/** An error response in the form that the callers of its route read. */
export interface RouteProblem extends Omit<Problem, 'body'> {
  /** The error object, whatever form the body has. */
  error: Problem['body']
  body: object
}

/** Whether a 422 with this code has the body of a failed extraction. */
export const isExtractionError = (errorForm: Route['errorForm'], code: string): boolean =>
  errorForm === 'extraction' ||
  (errorForm === 'extraction_of_target' && code !== 'VALIDATION_ERROR')

export function toRouteProblem(
  error: unknown,
  { family, errorForm }: { family?: FamilyName | undefined; errorForm?: Route['errorForm'] },
  correlationId: string,
): RouteProblem {
  const plain = toProblem(error, correlationId)
  const { status, headers, body } = family && hasErrorText(family) ? withErrorText(plain) : plain
  const isExtraction = status === 422 && isExtractionError(errorForm, body.code)
  return { status, headers, error: body, body: isExtraction ? extractionProblem(body) : body }
}
