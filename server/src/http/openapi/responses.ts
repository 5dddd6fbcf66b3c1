import { z } from 'zod'
import { type FailureCode, failures } from '../../domain/failure.ts'
import type { RouteExample } from '../../wire/route-example.ts'
import { ExtractionProblem } from '../errors/extraction-problem.ts'
import { ErrorObject, ErrorTextObject, statusOf, ValidationObject } from '../errors/problem.ts'
import { hasErrorText, isForOperator } from '../family.ts'
import { authMethodsOf, isHandledInTurn, type Route, type ServedResponse } from '../route.ts'
import type { Example, JsonSchema, Operation, Parameter, ResponseObject } from './document.ts'
import { exampleFaults, failureExamples, failureName } from './failure-examples.ts'
import { headerReferences, type ResponseHeaderName } from './headers.ts'
import { type SchemaComponents, toSchema } from './schema.ts'
import type { NamedPart } from './sharing.ts'

/** What the descriptions of all routes share. */
export interface DocumentComponents {
  schemas: SchemaComponents
  examples: Record<string, Example>
  /** Those that become components if they are repeated. */
  responses: NamedPart<ResponseObject>[]
  parameters: NamedPart<Parameter>[]
}

export function describeResponses(
  route: Route,
  components: DocumentComponents,
): Operation['responses'] {
  const responses: Operation['responses'] = {}
  for (const response of [route.response, ...(route.otherResponses ?? [])]) {
    responses[response.status] = describeResponse(route, response, components)
  }
  for (const [status, codes] of codesByStatus(route)) {
    const described = describeFailures(route, status, codes, components)
    const declared = responses[status]
    if (!declared) components.responses.push({ name: nameOf(route, codes), value: described })
    responses[status] = declared ? eitherOf(declared, described) : described
  }
  return responses
}

/** The examples of a route that have such a part. */
export function examplesOf(
  { examples = {} }: Route,
  partOf: (example: RouteExample) => unknown,
): { examples?: Record<string, Example> } {
  const shown = Object.entries(examples).flatMap(([name, example]) => {
    const value = partOf(example)
    return value === undefined ? [] : [[name, { summary: example.summary, value }] as const]
  })
  return shown.length > 0 ? { examples: Object.fromEntries(shown) } : {}
}

function describeResponse(
  route: Route,
  response: ServedResponse,
  { schemas }: DocumentComponents,
): ResponseObject {
  const limited: ResponseHeaderName[] = route.limit ? ['RateLimit', 'RateLimit-Policy'] : []
  const headers = headerReferences(['X-Request-Id', ...(response.headers ?? []), ...limited])
  const { description } = response
  if (response.status === 204) return { description, headers, content: {} }
  const [mediaType = ''] = (response.contentType ?? 'application/json').split(';')
  const asText = (response.alsoAs ?? []).map((type) => [type, { schema: { type: 'string' } }])
  return {
    description,
    headers,
    // The declared type is first, as generators of clients that read one type only take that.
    content: {
      [mediaType]: {
        schema: toSchema(response.body, 'output', schemas),
        // OpenAPI 3.2 calls it `itemSchema`; validators of 3.1 accept extensions only.
        ...(response.items && { 'x-item-schema': toSchema(response.items, 'output', schemas) }),
        ...examplesOf(route, (one) => (one.status === response.status ? one.response : undefined)),
      },
      ...Object.fromEntries(asText),
    },
  }
}

function describeFailures(
  route: Route,
  status: number,
  codes: FailureCode[],
  { schemas, examples }: DocumentComponents,
): ResponseObject {
  return {
    description: codes.map((code) => `\`${code}\`: ${failures[code].meaning}`).join(' '),
    headers: headerReferences(['X-Request-Id', ...headersOfFailures(route, status)]),
    content: {
      'application/json': {
        schema: toSchema(errorBody(route, codes), 'output', schemas),
        examples: failureExamples(route, { status, codes }, examples),
      },
    },
  }
}

/** The name of an error response: its first failure, which is the one that its route is specific about. */
const nameOf = (route: Route, codes: FailureCode[]): string => {
  const [code = 'INTERNAL_ERROR', ...others] = codes
  if (code === 'RATE_LIMITED' && others.length > 0) return 'TooManyRequests'
  return `${failureName(route, code)}${hasErrorText(route.family) ? 'Text' : ''}`
}

function headersOfFailures({ limit }: Route, status: number): ResponseHeaderName[] {
  if (status === 401) return ['WWW-Authenticate']
  if (status !== 429 && status !== 503) return []
  return limit && status === 429
    ? ['Retry-After', 'RateLimit', 'RateLimit-Policy']
    : ['Retry-After']
}

function errorBody(route: Route, codes: FailureCode[]): z.ZodType {
  if (hasErrorText(route.family)) return ErrorTextObject
  if (!codes.includes('VALIDATION_ERROR')) return ErrorObject
  if (route.errorForm === 'extraction') return ExtractionProblem
  if (codes.length === 1) return ValidationObject
  return z.union([ValidationObject, route.errorForm ? ExtractionProblem : ErrorObject])
}

/** The failures of a route: its own, and those that its properties add. */
function failuresOf(route: Route): FailureCode[] {
  const codes: FailureCode[] = [...(route.failures ?? [])]
  if (exampleFaults(route).length > 0 || (hasErrorText(route.family) && route.body))
    codes.push('VALIDATION_ERROR')
  if (route.body) codes.push('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  if (route.limit || isHandledInTurn(route)) codes.push('RATE_LIMITED')
  if (route.newWork) codes.push('QUEUE_FULL', 'OVERLOADED', 'STORE_FULL')
  if (authMethodsOf(route)) codes.push('UNAUTHORIZED', 'STORE_UNAVAILABLE')
  if (isCsrfProtected(route) || isForOperator(route.family)) codes.push('FORBIDDEN')
  if (!route.isProbe) codes.push('SHUTTING_DOWN')
  return [...codes, 'INTERNAL_ERROR']
}

/** Whether `refuseAmbientCredentials` (CSRF protection) can refuse a request to the route. */
const isCsrfProtected = (route: Route): boolean =>
  route.method !== 'GET' || authMethodsOf(route)?.byAddress === true

function codesByStatus(route: Route): [status: number, codes: FailureCode[]][] {
  const groups = Map.groupBy(new Set(failuresOf(route)), (code) => {
    if (hasErrorText(route.family) && code === 'VALIDATION_ERROR') return 400
    const isOutcome = route.errorForm !== undefined && outcomes.has(code)
    return isOutcome ? statusOf.VALIDATION_ERROR : statusOf[code]
  })
  return [...groups].sort(([a], [b]) => a - b)
}

/** How an extraction can end without its target being to blame. */
const outcomes = new Set<FailureCode>(['TARGET_TIMEOUT', 'EXPIRED', 'CANCELLED'])

/** A status with two bodies, such as a health body and an error object. */
function eitherOf(left: ResponseObject, right: ResponseObject): ResponseObject {
  const json = 'application/json'
  const bodies = [left.content[json], right.content[json]].filter((one) => one !== undefined)
  const examples = Object.assign({}, ...bodies.map((one) => one.examples ?? {}))
  const schema: JsonSchema = { anyOf: bodies.map((one) => one.schema) }
  return {
    description: right.description,
    headers: { ...left.headers, ...right.headers },
    content: { ...left.content, ...right.content, [json]: { schema, examples } },
  }
}
