import type { z } from 'zod'
import { version } from '../../runtime/version.ts'
import { families } from '../family.ts'
import type { Route } from '../route.ts'
import type {
  JsonSchema,
  OpenApiDocument,
  Operation,
  Parameter,
  ReferringOperation,
} from './document.ts'
import { responseHeaders } from './headers.ts'
import { type DocumentComponents, describeResponses, examplesOf } from './responses.ts'
import { type SchemaComponents, toSchema } from './schema.ts'
import { describeSecurity, securitySchemes } from './security.ts'
import { shareParts } from './sharing.ts'
import { describeWebhooks, webhooksTag } from './webhooks.ts'

/** Whether it is part of the API; pages for people may not be. */
export const isDescribed = ({ notInApi }: Route): boolean => notInApi === undefined

export function describeApi(routes: readonly Route[]): OpenApiDocument {
  const components: DocumentComponents = {
    schemas: {},
    examples: {},
    responses: [],
    parameters: [],
  }
  const described = routes
    .filter(isDescribed)
    .map((route) => ({ route, operation: describeRoute(route, components) }))
  const sent = describeWebhooks(components)
  const responses = shareParts('responses', components.responses)
  const parameters = shareParts('parameters', components.parameters)
  const refer = (operation: Operation): ReferringOperation => ({
    ...operation,
    ...(operation.parameters && { parameters: operation.parameters.map(parameters.refer) }),
    responses: mapValues(operation.responses, responses.refer),
  })
  const paths: OpenApiDocument['paths'] = {}
  for (const { route, operation } of described) {
    const path = describedPath(route.path)
    paths[path] ??= {}
    paths[path][route.method.toLowerCase()] = refer(operation)
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
    tags: [
      ...Object.values(families).map(({ title, description }) => ({ name: title, description })),
      webhooksTag,
    ],
    paths,
    webhooks: mapValues(sent, (operation) => ({ post: refer(operation) })),
    components: {
      schemas: sorted(components.schemas),
      responses: sorted(responses.components),
      parameters: sorted(parameters.components),
      examples: sorted(components.examples),
      headers: responseHeaders,
      securitySchemes,
    },
  }
}

const describedPath = (path: string): string => path.replace(/:(\w+)/g, '{$1}')

/** Says where else an operation is served, since the document has each operation once. */
function describeUse({ description, method, aliases = [] }: Route): string | undefined {
  const others = aliases.map((path) => `Also served as \`${method} ${describedPath(path)}\`.`)
  return [description, ...others].filter((part) => part !== undefined).join(' ') || undefined
}

const sorted = <Value>(byName: Record<string, Value>): Record<string, Value> =>
  Object.fromEntries(Object.entries(byName).sort(([a], [b]) => (a < b ? -1 : 1)))

const mapValues = <Value, Result>(
  byName: Record<string, Value>,
  change: (value: Value) => Result,
): Record<string, Result> =>
  Object.fromEntries(Object.entries(byName).map(([name, value]) => [name, change(value)]))

function describeRoute(route: Route, components: DocumentComponents): Operation {
  const { schemas } = components
  const parameters = [
    ...describeParameters('path', route.params, schemas),
    ...describeParameters('query', route.query, schemas).map((parameter) => ({
      ...parameter,
      ...examplesOf(route, ({ query }) => exampleValue(parameter, query?.[parameter.name])),
    })),
    ...describeParameters('header', route.headers, schemas),
  ]
  components.parameters.push(...parameters.map((value) => ({ name: value.name, value })))
  const description = describeUse(route)
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(description && { description }),
    tags: [families[route.family].title],
    security: describeSecurity(route),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && {
      requestBody: {
        required: !route.body.safeParse(undefined).success,
        content: {
          'application/json': {
            schema: toSchema(route.body, 'input', schemas),
            ...examplesOf(route, ({ body }) => body),
          },
        },
      },
    }),
    responses: describeResponses(route, components),
  }
}

function describeParameters(
  where: Parameter['in'],
  schema: z.ZodType | undefined,
  schemas: SchemaComponents,
): Parameter[] {
  if (!schema) return []
  const object = toSchema(schema, 'input', schemas)
  const required = (object['required'] ?? []) as string[]
  return Object.entries(object['properties'] as Record<string, JsonSchema>)
    .filter(([name]) => !(where === 'header' && ignoredHeaders.has(name)))
    .map(([name, field]) => {
      const { description, ...rest } = field
      return {
        name: where === 'header' ? name.replace(/\b[a-z]/g, (one) => one.toUpperCase()) : name,
        in: where,
        required: where === 'path' || required.includes(name),
        ...(typeof description === 'string' && { description }),
        schema: rest,
      }
    })
}

/** OpenAPI ignores a parameter of this name: the media types of the responses say what can be accepted. */
const ignoredHeaders = new Set(['accept'])

/** Queries are text, but their examples have the type that the document gives them. */
const exampleValue = ({ schema }: Parameter, text: string | undefined): unknown =>
  text !== undefined && schema['type'] === 'integer' ? Number(text) : text
