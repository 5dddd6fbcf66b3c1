import { z } from 'zod'
import { type FailureCode, failures } from '../domain/failure.ts'
import { version } from '../runtime/version.ts'
import { ExtractionProblem } from './extraction-problem.ts'
import { families } from './family.ts'
import type { Example, JsonSchema, OpenApiDocument, Operation } from './openapi-document.ts'
import { describeSecurity, securitySchemes } from './openapi-security.ts'
import { ErrorObject, ErrorTextObject, statusOf, ValidationObject } from './problem.ts'
import type { ResponseBody, Route, RouteExample } from './route.ts'

/** Generates the OpenAPI document from the declarations of the routes. */
export function describeApi(routes: readonly Route[]): OpenApiDocument {
  const schemas: Record<string, JsonSchema> = {}
  const paths: OpenApiDocument['paths'] = {}
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] ??= {}
    paths[path][route.method.toLowerCase()] = describeRoute(route, schemas)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Trawl',
      version,
      description:
        'A self-hosted web scraping service. Every error has the body `ErrorObject`; bad input has `ValidationObject`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // This is OpenAPI's default, but some generated clients need it written down.
    servers: [{ url: '/' }],
    tags: Object.values(families).map(({ title, description }) => ({ name: title, description })),
    paths,
    components: { schemas: Object.fromEntries(Object.entries(schemas).sort()), securitySchemes },
  }
}

function describeRoute(route: Route, schemas: Record<string, JsonSchema>): Operation {
  const parameters = [
    ...describeParameters('path', route.params, schemas),
    ...describeParameters('query', route.query, schemas).map((parameter) => ({
      ...parameter,
      ...examplesOf(route, ({ query }) => query?.[parameter.name]),
    })),
    ...describeParameters('header', route.headers, schemas),
  ]
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(route.description && { description: route.description }),
    tags: [families[route.family].title],
    security: describeSecurity(route),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && {
      requestBody: {
        required: true as const,
        content: {
          'application/json': {
            schema: toSchema(route.body, 'input', schemas),
            ...examplesOf(route, ({ body }) => body),
          },
        },
      },
    }),
    responses: describeResponses(route, schemas),
  }
}

/** The examples of a route that have such a part. */
function examplesOf(
  { examples = {} }: Route,
  partOf: (example: RouteExample) => unknown,
): { examples?: Record<string, Example> } {
  const shown = Object.entries(examples).flatMap(([name, example]) => {
    const value = partOf(example)
    return value === undefined ? [] : [[name, { summary: example.summary, value }] as const]
  })
  return shown.length > 0 ? { examples: Object.fromEntries(shown) } : {}
}

function describeParameters(
  where: 'path' | 'query' | 'header',
  schema: z.ZodType | undefined,
  schemas: Record<string, JsonSchema>,
): NonNullable<Operation['parameters']> {
  if (!schema) return []
  const object = toSchema(schema, 'input', schemas)
  const required = (object['required'] ?? []) as string[]
  return Object.entries(object['properties'] as Record<string, JsonSchema>).map(([name, field]) => {
    const { description, ...rest } = field
    return {
      name,
      in: where,
      required: where === 'path' || required.includes(name),
      ...(typeof description === 'string' && { description }),
      schema: rest,
    }
  })
}

function describeResponses(route: Route, schemas: Record<string, JsonSchema>) {
  const responses: Operation['responses'] = {}
  for (const response of [route.response, ...(route.otherResponses ?? [])]) {
    responses[response.status] = describeResponse(route, response, schemas)
  }
  for (const [status, codes] of codesByStatus(route)) {
    const body = errorBody(route, codes)
    const described = {
      description: codes.map((code) => `\`${code}\`: ${failures[code].meaning}`).join(' '),
      content: { 'application/json': { schema: toSchema(body, 'output', schemas) } },
    }
    const declared = responses[status]
    responses[status] = declared
      ? { ...described, content: eitherOf(declared.content, described.content) }
      : described
  }
  return responses
}

function errorBody(route: Route, codes: FailureCode[]): z.ZodType {
  if (families[route.family].hasErrorText) return ErrorTextObject
  if (route.errorForm === 'extraction' && codes.includes('VALIDATION_ERROR')) {
    return ExtractionProblem
  }
  if (!codes.includes('VALIDATION_ERROR')) return ErrorObject
  return codes.length === 1 ? ValidationObject : z.union([ValidationObject, ErrorObject])
}

/** The failures of a route: its own, and those that its properties add. */
function failuresOf(route: Route): FailureCode[] {
  const codes: FailureCode[] = [...(route.failures ?? [])]
  if (route.params || route.query || route.headers || route.body) codes.push('VALIDATION_ERROR')
  if (route.body) codes.push('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  if (route.limit) codes.push('RATE_LIMITED')
  if (route.newWork) codes.push('QUEUE_FULL', 'OVERLOADED', 'STORE_FULL')
  if (families[route.family].authMethods) codes.push('UNAUTHORIZED', 'STORE_UNAVAILABLE')
  if (isCsrfProtected(route)) codes.push('FORBIDDEN')
  if (!route.isProbe) codes.push('SHUTTING_DOWN')
  return [...codes, 'INTERNAL_ERROR']
}

/** Whether `refuseAmbientCredentials` (CSRF protection) can refuse a request to the route. */
const isCsrfProtected = ({ family, method }: Route): boolean => {
  const { authMethods } = families[family]
  return authMethods !== undefined && (authMethods.byAddress || method !== 'GET')
}

function codesByStatus(route: Route): [status: number, codes: FailureCode[]][] {
  const { hasErrorText } = families[route.family]
  const groups = Map.groupBy(new Set(failuresOf(route)), (code) => {
    if (hasErrorText && code === 'VALIDATION_ERROR') return 400
    const isOutcome = route.errorForm === 'extraction' && outcomes.has(code)
    return isOutcome ? statusOf.VALIDATION_ERROR : statusOf[code]
  })
  return [...groups].sort(([a], [b]) => a - b)
}

/** How an extraction can end without its target being to blame. */
const outcomes = new Set<FailureCode>(['TARGET_TIMEOUT', 'EXPIRED', 'CANCELLED'])

/** A status with two bodies, such as a health body and an error object. */
function eitherOf(
  left: Record<string, { schema: JsonSchema }>,
  right: Record<string, { schema: JsonSchema }>,
): Record<string, { schema: JsonSchema }> {
  const json = 'application/json'
  const both = [left[json]?.schema, right[json]?.schema].filter((schema) => schema !== undefined)
  return { ...left, ...right, [json]: { schema: { anyOf: both } } }
}

function describeResponse(
  route: Route,
  response: ResponseBody,
  schemas: Record<string, JsonSchema>,
): Operation['responses'][string] {
  if (response.status === 204) return { description: response.description, content: {} }
  const [mediaType = ''] = (response.contentType ?? 'application/json').split(';')
  const asText = (response.alsoAs ?? []).map((type) => [type, { schema: { type: 'string' } }])
  return {
    description: response.description,
    content: {
      ...Object.fromEntries(asText),
      [mediaType]: {
        schema: toSchema(response.body, 'output', schemas),
        ...examplesOf(route, (one) => (one.status === response.status ? one.response : undefined)),
      },
    },
  }
}

/** Converts a zod schema to JSON Schema; named schemas become components and are referenced. */
function toSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  schemas: Record<string, JsonSchema>,
): JsonSchema {
  const { $schema, $defs, ...whole } = z.toJSONSchema(schema, { io, override }) as JsonSchema
  for (const [name, definition] of Object.entries(($defs ?? {}) as Record<string, JsonSchema>)) {
    schemas[name] = withComponentReferences(definition) as JsonSchema
  }
  const { id, ...inline } = withComponentReferences(whole) as JsonSchema
  if (typeof id !== 'string') return inline
  schemas[id] = inline
  return { $ref: `#/components/schemas/${id}` }
}

/** Drops the pattern of a field with a format: generated clients fail on patterns of non-string types. */
const override = ({ jsonSchema }: { jsonSchema: JsonSchema }): void => {
  if (jsonSchema['format'] !== undefined) delete jsonSchema['pattern']
}

function withComponentReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withComponentReferences)
  if (!value || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      key === '$ref' && typeof child === 'string'
        ? child.replace('#/$defs/', '#/components/schemas/')
        : withComponentReferences(child),
    ]),
  )
}
