import type { JsonSchema, OpenApiDocument, Operation } from '../server/src/http/openapi/document.ts'
import { listOperations } from '../server/src/http/openapi/operations.ts'

/**
 * Writes the types of `sdk/src/api.ts`: an exported type for each named schema of the API description,
 * and `Operations`, which has the parameters, the body and the response of each method and path.
 */
export function writeSdkTypes(api: OpenApiDocument): string {
  const schemas = Object.entries(api.components.schemas).map(([name, schema]) => {
    // A name that zod made up for a recursive part is nobody's to import.
    const visibility = name.startsWith('_') ? '' : 'export '
    return `${describe(schema, '')}${visibility}type ${name} = ${typeOf(schema, '')}\n`
  })
  const operations = listOperations(api).map(({ path, method, operation }) =>
    describeOperation(`${method.toUpperCase()} ${path}`, operation),
  )
  return [
    '// Generated from the API description by `npm run generate`; do not edit.\n',
    ...schemas,
    `/** What each operation takes and returns, by its method and path. */
export interface Operations {
${operations.join('')}}
`,
  ].join('\n')
}

function describeOperation(name: string, operation: Operation): string {
  const parameters = (where: string): string => {
    const fields = (operation.parameters ?? []).filter((one) => one.in === where)
    return fields.length === 0
      ? 'undefined'
      : objectOf(
          fields.map(({ name: key, required, description, schema }) => ({
            key,
            isRequired: required,
            schema: { ...(paging.includes(key) ? { type: 'number' } : schema), description },
          })),
          '    ',
        )
  }
  const body = operation.requestBody?.content['application/json']?.schema
  return `  /** ${operation.operationId}: ${clean(operation.summary)} */
  '${name}': {
    path: ${parameters('path')}
    query: ${parameters('query')}
    body: ${body ? typeOf(body, '    ') : 'undefined'}
    response: ${responseOf(operation)}
  }
`
}

// Queries are text to the service, which reads numbers from it.
const paging = ['page', 'page_size']

/** The JSON of a success; text or bytes where no JSON is declared. */
function responseOf({ responses }: Operation): string {
  const types = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, { content }]) => {
      const json = content['application/json']
      if (json) return typeOf(json.schema, '    ')
      const [mediaType] = Object.keys(content)
      if (mediaType === undefined) return 'undefined'
      return mediaType.startsWith('text/') ? 'string' : 'Blob'
    })
  return unionOf(types)
}

function typeOf(schema: JsonSchema, indent: string): string {
  const reference = schema['$ref']
  if (typeof reference === 'string') return reference.replace('#/components/schemas/', '')
  if ('const' in schema) return literalOf(schema['const'])
  if (Array.isArray(schema['enum'])) return unionOf(schema['enum'].map((one) => literalOf(one)))
  const members = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(members)) return unionOf(members.map((one) => typeOf(one, indent)))
  const kind = schema['type']
  if (Array.isArray(kind)) return unionOf(kind.map((type) => typeOf({ ...schema, type }, indent)))
  if (kind === undefined) return 'unknown'
  const write = typeof kind === 'string' && Object.hasOwn(writers, kind) && writers[kind]
  if (!write)
    throw new Error(`A schema that the generator does not know: ${JSON.stringify(schema)}`)
  return write(schema, indent)
}

const writers: Record<string, (schema: JsonSchema, indent: string) => string> = {
  string: () => 'string',
  integer: () => 'number',
  number: () => 'number',
  boolean: () => 'boolean',
  null: () => 'null',
  array: ({ items }, indent) => `Array<${typeOf((items ?? {}) as JsonSchema, indent)}>`,
  object(schema, indent) {
    const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>)
    const others = schema['additionalProperties']
    if (properties.length === 0) {
      const value = others && others !== true ? typeOf(others as JsonSchema, indent) : 'unknown'
      return `{ [name: string]: ${value} }`
    }
    const required = (schema['required'] ?? []) as string[]
    return objectOf(
      properties.map(([key, one]) => ({ key, isRequired: required.includes(key), schema: one })),
      indent,
    )
  },
}

interface TypedField {
  key: string
  isRequired: boolean
  schema: JsonSchema
}

function objectOf(fields: TypedField[], indent: string): string {
  const inner = `${indent}  `
  const lines = fields.map(({ key, isRequired, schema }) => {
    const name = /^\w+$/.test(key) ? key : `'${key}'`
    const type = typeOf(schema, inner)
    // Callers who compile with exactOptionalPropertyTypes may still pass undefined.
    const field = isRequired ? `${name}: ${type}` : `${name}?: ${unionOf([type, 'undefined'])}`
    return `${describe(schema, inner)}${inner}${field}\n`
  })
  return `{\n${lines.join('')}${indent}}`
}

function describe(schema: JsonSchema, indent: string): string {
  const { description, default: fallback } = schema
  const isWorthSaying =
    fallback !== undefined && fallback !== null && JSON.stringify(fallback) !== '{}'
  const sentences = [
    ...(typeof description === 'string' ? [clean(description)] : []),
    ...(isWorthSaying ? [`Default: \`${clean(JSON.stringify(fallback))}\`.`] : []),
  ]
  return sentences.length === 0 ? '' : `${indent}/** ${sentences.join(' ')} */\n`
}

const clean = (text: string): string => text.replace(/\s+/g, ' ').replaceAll('*/', '*\\/')

const literalOf = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replace(/['\\]/g, '\\$&')}'` : JSON.stringify(value)

const unionOf = (types: string[]): string =>
  [...new Set(types.flatMap((type) => (isUnion(type) ? type.split(' | ') : [type])))].join(' | ')

/** Whether all of it is names and literals, so that it can be taken apart again. */
const isUnion = (type: string): boolean => /^[\w'" |-]+$/.test(type)
