import { z } from 'zod'
import type { Route } from '../route.ts'
import { type McpTool, OutputArguments, waitArgument } from './mcp-tools.ts'

type JsonObject = Record<string, unknown>

/** The JSON Schema of an object. */
export interface ToolInputSchema {
  type: 'object'
  properties: Record<string, JsonObject>
  required?: string[]
  $defs?: Record<string, JsonObject>
  [keyword: string]: unknown
}

/** The arguments of a tool: those of its routes, from the schemas that validate them, and the tool's own. */
export function toolInputSchema(tool: McpTool, routes: readonly Route[]): ToolInputSchema {
  const [first, ...others] = routes.map(routeArguments)
  if (!first) throw new Error(`The tool ${tool.name} has no route.`)
  const { $defs } = first
  const properties = Object.assign({}, ...others.map((one) => one.properties), first.properties)
  for (const [name, value] of Object.entries(tool.defaults ?? {})) {
    properties[name] = { ...properties[name], default: value }
  }
  // What only some of the kinds need is not required of the others.
  const required = (first.required ?? []).filter((name) =>
    others.every((one) => one.required?.includes(name)),
  )
  return {
    type: 'object',
    properties: { ...properties, ...kindArgument(tool), ...ownArguments(tool) },
    ...(required.length > 0 && { required }),
    ...($defs && { $defs }),
  }
}

export const argumentNames = ({ params, query }: Route) => ({
  ofPath: Object.keys(params ? objectSchema(params).properties : {}),
  ofQuery: Object.keys(query ? objectSchema(query).properties : {}),
})

function routeArguments({ params, query, body }: Route): ToolInputSchema {
  const parts = [
    ...(params ? [objectSchema(params)] : []),
    ...(query ? [querySchema(query)] : []),
    ...(body ? [bodySchema(body)] : []),
  ]
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map((one) => one.properties)),
    required: parts.flatMap((one) => one.required ?? []),
    ...Object.assign({}, ...parts.map(({ $defs }) => $defs && { $defs })),
  }
}

function objectSchema(schema: z.ZodType, io: 'input' | 'output' = 'input'): ToolInputSchema {
  const whole = withEnumsInPlace(z.toJSONSchema(schema, { io, unrepresentable: 'any' }))
  const { $ref, $defs = {} } = whole as { $ref?: string; $defs?: Record<string, ToolInputSchema> }
  const named = $ref?.replace('#/$defs/', '')
  return named === undefined
    ? (whole as ToolInputSchema)
    : { ...($defs[named] as ToolInputSchema), $defs }
}

/** A language model reads the values where they are needed; the names of enums are for the API description. */
function withEnumsInPlace(schema: object): JsonObject {
  const { $defs = {}, ...rest } = schema as { $defs?: Record<string, JsonObject> }
  const others = Object.entries($defs).filter(([, one]) => !Array.isArray(one['enum']))
  const whole = { ...rest, ...(others.length > 0 && { $defs: Object.fromEntries(others) }) }
  return JSON.parse(JSON.stringify(whole), (_key, value) => {
    const { $ref, ...beside } = Object(value)
    const named = typeof $ref === 'string' ? $defs[$ref.replace('#/$defs/', '')] : undefined
    if (!named?.['enum']) return value
    const { id, ...values } = named
    return { ...values, ...beside }
  })
}

/** Numbers in a query are text. A caller of a tool gives them as what they become. */
function querySchema(query: z.ZodType): ToolInputSchema {
  const given = objectSchema(query)
  const parsed = objectSchema(query, 'output')
  const properties = Object.entries(given.properties).map(([name, field]) => {
    const becomes = parsed.properties[name] ?? {}
    return [name, becomes['type'] === 'integer' ? becomes : field]
  })
  return { ...given, properties: Object.fromEntries(properties) }
}

/**
 * The schema of `configurations` is longer than that of all other options together. A language model reads
 * every schema before it begins, so this one is named only; the route validates it all the same.
 */
function bodySchema(body: z.ZodType): ToolInputSchema {
  const { $defs = {}, properties, ...others } = objectSchema(body)
  const shown = {
    ...properties,
    ...(properties['configurations'] && {
      configurations: {
        type: 'object',
        description: 'More options of a scrape: `ScrapeOptions` in /openapi.json.',
      },
    }),
  }
  const used = usedDefinitions(shown, $defs)
  return {
    ...others,
    properties: shown as ToolInputSchema['properties'],
    ...(Object.keys(used).length > 0 && { $defs: used }),
  }
}

function usedDefinitions(value: unknown, all: Record<string, JsonObject>) {
  const used: Record<string, JsonObject> = {}
  const waiting = [value]
  while (waiting.length > 0) {
    const text = JSON.stringify(waiting.pop())
    for (const [, name = ''] of text.matchAll(/"#\/\$defs\/([^"]+)"/g)) {
      if (name in used || !all[name]) continue
      used[name] = all[name]
      waiting.push(all[name])
    }
  }
  return used
}

function kindArgument({ operations }: McpTool): Record<string, JsonObject> {
  if (operations.length === 1) return {}
  const kinds = operations.map(({ kind }) => kind)
  return { kind: { type: 'string', enum: kinds, default: kinds[0] } }
}

function ownArguments({ following }: McpTool): Record<string, JsonObject> {
  const shape = following ? { wait: waitArgument(following) } : {}
  return objectSchema(OutputArguments.extend(shape)).properties
}
