import { Failure, type FailureCode, failures } from '../../domain/failure.ts'
import { extractionProblem } from '../errors/extraction-problem.ts'
import { type Fault, InvalidRequest } from '../errors/problem.ts'
import { isExtractionError, type RouteProblem, toRouteProblem } from '../errors/route-problem.ts'
import { hasErrorText, isForOperator } from '../family.ts'
import { partsReader, requestParts } from '../requests/validate.ts'
import type { Route } from '../route.ts'
import type { Example, Referable } from './document.ts'
import { exampleWording, pascalCase } from './failure-messages.ts'

const exampleId = '01a1e5f0-7c1b-7a52-9d0e-3f6b2c84d917'

/** The error responses of a route: what its callers get with each code, made by the code that sends them. */
function exampleProblem(route: Route, code: FailureCode): RouteProblem {
  const faults = code === 'VALIDATION_ERROR' ? exampleFaults(route) : []
  const failure =
    faults.length > 0
      ? new InvalidRequest(faults)
      : new Failure(code, exampleWording(route, code).message)
  return toRouteProblem(failure, route, exampleId)
}

/** What went wrong, in the form of a type's name: such as `TaskNotFound`, or `InvalidJobId`. */
export function failureName(route: Route, code: FailureCode): string {
  const [fault] = code === 'VALIDATION_ERROR' ? exampleFaults(route) : []
  const field = fault?.loc[1] ?? fault?.loc[0]
  return field === undefined ? exampleWording(route, code).name : `Invalid${pascalCase(field)}`
}

/**
 * The examples of an error response by code. Those that many routes share become components, since
 * the document would be several times as long without.
 */
export function failureExamples(
  route: Route,
  { status, codes }: { status: number; codes: readonly FailureCode[] },
  components: Record<string, Example>,
): Record<string, Referable<Example>> {
  const shown = codes.map((code): [string, Referable<Example>] => {
    const problem = exampleProblem(route, code)
    // An extraction that ended so has the status 422, whatever the code has elsewhere.
    const isOutcome = status === 422 && isExtractionError(route.errorForm, code)
    const body = isOutcome ? extractionProblem(problem.error) : problem.body
    const example = { summary: failures[code].meaning, value: body }
    if (ownExamples.has(code) || isOperatorsOnly(route, code)) return [code, example]
    const name = `${code}${formSuffix(route, body)}`
    components[name] = example
    return [code, { $ref: `#/components/examples/${name}` }]
  })
  return Object.fromEntries(shown)
}

const ownExamples = new Set<FailureCode>(['VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'])

/** Elsewhere 403 is about foreign pages. */
const isOperatorsOnly = ({ family }: Route, code: FailureCode): boolean =>
  code === 'FORBIDDEN' && isForOperator(family)

function formSuffix({ family }: Route, body: object): string {
  if (hasErrorText(family)) return '-text'
  return 'tokens_charged' in body ? '-extraction' : ''
}

/** What validation says of the first of these requests that it refuses; none may be refusable. */
export function exampleFaults(route: Route): readonly Fault[] {
  const parts = requestParts(route)
  const read = partsReader(parts)
  const valid = {
    params: validParams(route),
    query: {},
    headers: {},
    body: route.examples && bodyOf(route),
  }
  const query = route.query ? Object.keys(shapeOf(route.query)) : []
  const params = route.params ? Object.keys(shapeOf(route.params)) : []
  const attempts = [
    ...(route.body
      ? [
          { ...valid, body: {} },
          { ...valid, body: [] },
        ]
      : []),
    ...params.map((name) => ({ ...valid, params: { ...valid.params, [name]: 'nonsense' } })),
    ...query.flatMap((name) => [
      { ...valid, query: { [name]: '0' } },
      { ...valid, query: { [name]: ['one', 'two'] } },
    ]),
    { ...valid, headers: { 'idempotency-key': '""' } },
  ]
  for (const attempt of attempts) {
    try {
      read(attempt)
    } catch (error) {
      if (error instanceof InvalidRequest) return error.faults
      throw error
    }
  }
  return []
}

const bodyOf = ({ examples = {} }: Route): unknown =>
  Object.values(examples).find(({ body }) => body !== undefined)?.body

const validParams = ({ params }: Route): Record<string, string> =>
  Object.fromEntries(Object.keys(params ? shapeOf(params) : {}).map((name) => [name, exampleId]))

const shapeOf = (schema: unknown): object => (schema as { shape?: object }).shape ?? {}
