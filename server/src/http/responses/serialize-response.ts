import build, { type Schema } from 'fast-json-stringify'
import { z } from 'zod'
import type { Route } from '../route.ts'

type Serializer = (body: unknown) => string

const compiled = new WeakMap<z.ZodType, Serializer>()

/**
 * Serializes a route's response by the schema of its status: faster than without one, and a field that was not
 * declared cannot leak. Text, bytes and streams stay as they are. A serializer is compiled for the first
 * response that needs it, since compiling all of them would double the time of a start.
 */
export function responseSerializer({
  response,
  otherResponses = [],
}: Pick<Route, 'response' | 'otherResponses'>): (status: number, body: unknown) => unknown {
  const schemas = new Map([response, ...otherResponses].map(({ status, body }) => [status, body]))
  return (status, body) => {
    const schema = isJsonValue(body) ? schemas.get(status) : undefined
    return schema ? (compiled.get(schema) ?? compile(schema))(body) : body
  }
}

const isJsonValue = (body: unknown): boolean =>
  typeof body === 'object' &&
  body !== null &&
  !(body instanceof Uint8Array) &&
  !('pipe' in body || 'getReader' in body)

function compile(schema: z.ZodType): Serializer {
  const jsonSchema = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' })
  const serializer: Serializer = build(jsonSchema as Schema)
  compiled.set(schema, serializer)
  return serializer
}
