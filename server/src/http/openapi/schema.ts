import { z } from 'zod'
import type { JsonSchema } from './document.ts'

export type SchemaComponents = Record<string, JsonSchema>

/** Converts a zod schema to JSON Schema; named schemas become components and are referenced. */
export function toSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  components: SchemaComponents,
): JsonSchema {
  const { $schema, $defs, ...whole } = z.toJSONSchema(schema, { io, override }) as JsonSchema
  for (const [name, definition] of Object.entries(($defs ?? {}) as Record<string, JsonSchema>)) {
    components[name] = withComponentReferences(definition) as JsonSchema
  }
  const { id, ...inline } = withComponentReferences(whole) as JsonSchema
  if (typeof id !== 'string') return inline
  components[id] = inline
  return { $ref: `#/components/schemas/${id}` }
}

/**
 * Drops what readers of the document do not need: the pattern of a field with a format, on which
 * generated clients fail where the format has a type of its own, and the limits of JavaScript's integers.
 */
const override = ({ jsonSchema }: { jsonSchema: JsonSchema }): void => {
  if (jsonSchema['format'] !== undefined) delete jsonSchema['pattern']
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum']
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum']
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
