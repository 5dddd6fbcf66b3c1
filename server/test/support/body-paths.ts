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

/** Lists the path of every value that the body's schema knows; the body itself comes first. */
export function listBodyPaths(body: z.ZodType): BodyPath[] {
  const root = z.toJSONSchema(body, { io: 'input' }) as JsonSchema
  const paths = new Map<string, BodyPath>()
  walk(root, [])
  return [...paths.values()]

  function walk(schema: JsonSchema, path: BodyPath): void {
    paths.set(path.join(' '), path)
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
