import { z } from 'zod'

/** The path of a value in a body: names of fields, and `[]` for the items of a list. */
export type BodyPath = readonly string[]

interface JsonSchema {
  $ref?: string
  $defs?: Record<string, JsonSchema>
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
}

/** A value that a body may have, and all that its schema says of it, as text. */
interface BodyPart {
  path: BodyPath
  schema: string
}

/** Lists the path of every value that the body's schema knows; the body itself comes first. */
export const listBodyPaths = (body: z.ZodType): BodyPath[] =>
  listBodyParts(body).map(({ path }) => path)

export function listBodyParts(body: z.ZodType): BodyPart[] {
  const root = z.toJSONSchema(body, { io: 'input' }) as JsonSchema
  const parts = new Map<string, BodyPart>()
  walk(root, [])
  return [...parts.values()]

  function walk(schema: JsonSchema, path: BodyPath): void {
    const key = path.join(' ')
    const before = parts.get(key)?.schema ?? ''
    parts.set(key, { path, schema: before + JSON.stringify(resolved(schema)) })
    const { properties = {}, items, anyOf = [], oneOf = [] } = resolved(schema)
    for (const [name, child] of Object.entries(properties)) walk(child, [...path, name])
    if (items) walk(items, [...path, '[]'])
    for (const choice of [...anyOf, ...oneOf]) walk(choice, path)
  }

  function resolved(schema: JsonSchema): JsonSchema {
    const name = schema.$ref?.split('/').at(-1)
    return name === undefined ? schema : (root.$defs?.[name] ?? schema)
  }
}

/** Writes a body with this JSON text at the path, and `fields` at its top level. */
export function bodyWith(path: BodyPath, inner: string, fields: Record<string, unknown>): string {
  if (path.length === 0) return inner
  const [top = '', ...rest] = path
  const { [top]: _replaced, ...others } = fields
  const value = rest.reduceRight(
    (text, name) => (name === '[]' ? `[${text}]` : `{${JSON.stringify(name)}:${text}}`),
    inner,
  )
  const given = Object.entries(others).map(([name, one]) => `"${name}":${JSON.stringify(one)}`)
  return `{${[...given, `${JSON.stringify(top)}:${value}`].join(',')}}`
}
