import type { z } from 'zod'
import { nearest } from '../../runtime/nearest.ts'
import { type Fault, InvalidRequest } from '../errors/problem.ts'

type Part = 'body' | 'query' | 'path' | 'header'
type Issue = z.core.$ZodIssue

// A body can have tens of thousands of faults; their messages would take a second and megabytes.
const faultsMax = 100
// With more unknown names than this it is no typing mistake, and comparing names costs time.
const suggestionsMax = 10
const nameCharactersMax = 64

/** All faults of one part of a request, in the wording of pydantic. */
function faultsOf(error: z.ZodError, part: Part, schema: z.ZodType): Fault[] {
  return error.issues.slice(0, faultsMax).flatMap((issue) => toFaults(issue, part, schema))
}

interface PartSchema {
  part: Part
  schema: z.ZodType | undefined
  key: 'params' | 'query' | 'headers' | 'body'
}

/** The parts of a request that a route has a schema for. */
export const requestParts = ({
  params,
  query,
  headers,
  body,
}: Partial<Record<PartSchema['key'], z.ZodType>>): PartSchema[] =>
  (
    [
      { part: 'path', schema: params, key: 'params' },
      { part: 'query', schema: query, key: 'query' },
      { part: 'header', schema: headers, key: 'headers' },
      { part: 'body', schema: body, key: 'body' },
    ] as const
  ).filter((one) => one.schema !== undefined)

/** Validates all parts of a request together, so that one response lists every fault. */
export function partsReader(parts: readonly PartSchema[]) {
  return (request: Record<PartSchema['key'], unknown>): Record<PartSchema['key'], unknown> => {
    const values: Record<PartSchema['key'], unknown> = {
      params: undefined,
      query: undefined,
      headers: undefined,
      body: undefined,
    }
    const faults: Fault[] = []
    for (const { part, schema, key } of parts) {
      const parsed = schema?.safeParse(request[key], { reportInput: true })
      if (parsed?.error && schema) faults.push(...faultsOf(parsed.error, part, schema))
      values[key] = parsed?.data
    }
    if (faults.length > 0) throw new InvalidRequest(faults.slice(0, faultsMax))
    return values
  }
}

function toFaults(issue: Issue, part: Part, schema: z.ZodType): Fault[] {
  const loc = [part, ...issue.path.map((key) => cutName(String(key)))]
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, faultsMax).map((key, index) => {
      const advice = index < suggestionsMax ? adviceFor(key, issue.path, schema) : ''
      return {
        loc: [...loc, cutName(key)],
        msg: `Extra inputs are not permitted${advice}`,
        type: 'extra_forbidden',
      }
    })
  }
  if (issue.code === 'invalid_union') {
    const closest = closestBranch(issue.errors)
    if (closest.length > 0) {
      return closest.flatMap((inner) =>
        toFaults({ ...inner, path: [...issue.path, ...inner.path] } as Issue, part, schema),
      )
    }
  }
  const [type, msg] = wording(issue)
  return [{ loc, msg, type }]
}

/** The branch of a union that the value matches most deeply. */
const closestBranch = (branches: Issue[][]): Issue[] =>
  branches.reduce<Issue[]>(
    (best, branch) => (best.length === 0 || depth(branch) > depth(best) ? branch : best),
    [],
  )

const depth = (issues: Issue[]): number =>
  issues.reduce((deepest, issue) => Math.max(deepest, issue.path.length), 0)

/** Truncates a name, which may be as long as the body, without splitting a surrogate pair. */
const cutName = (name: string): string =>
  name.length <= nameCharactersMax
    ? name
    : [...name.slice(0, 2 * nameCharactersMax)].slice(0, nameCharactersMax).join('')

/** An unknown name is a known one in the wrong place, or mistyped, or neither. */
function adviceFor(key: string, path: PropertyKey[], schema: z.ZodType): string {
  const isKnownBeside = (_: PropertyKey, depth: number): boolean =>
    keysAt(schema, path.slice(0, depth)).includes(key)
  const parent = path.findLast(isKnownBeside)
  if (parent !== undefined) return `; '${key}' goes beside '${String(parent)}', not into it`
  const meant = nearest(key, keysAt(schema, path))
  return meant ? `; did you mean '${meant}'?` : ''
}

function keysAt(schema: z.ZodType, path: PropertyKey[]): string[] {
  let at = structuresOf(schema)
  for (const key of path) {
    at = at.flatMap(({ shape, def }) => structuresOf(def?.element ?? shape?.[String(key)]))
  }
  return at.flatMap(({ shape }) => Object.keys(shape ?? {}))
}

/** The parts of a zod schema that are needed to find its field names. */
interface Structure {
  shape?: Record<string, Structure>
  def?: {
    type?: string
    innerType?: Structure
    in?: Structure
    out?: Structure
    element?: Structure
    options?: Structure[]
  }
}

/** The objects and lists inside defaults, transformations and unions. */
function structuresOf(schema: unknown): Structure[] {
  const { shape, def } = (schema ?? {}) as Structure
  if (shape || def?.element) return [schema as Structure]
  if (def?.options) return def.options.flatMap(structuresOf)
  const inner = def?.innerType ?? (def?.in?.def?.type === 'transform' ? def.out : def?.in)
  return inner ? structuresOf(inner) : []
}

const typeWordings: Record<string, [type: string, noun: string]> = {
  string: ['string_type', 'a valid string'],
  number: ['float_type', 'a valid number'],
  int: ['int_type', 'a valid integer'],
  boolean: ['bool_type', 'a valid boolean'],
  array: ['list_type', 'a valid list'],
  object: ['dict_type', 'a valid dictionary'],
  record: ['dict_type', 'a valid dictionary'],
}

const formatWordings: Record<string, [type: string, msg: string]> = {
  url: ['url_parsing', 'Input should be a valid URL'],
  uuid: ['uuid_parsing', 'Input should be a valid UUID'],
  guid: ['uuid_parsing', 'Input should be a valid UUID'],
  datetime: ['datetime_parsing', 'Input should be a valid datetime'],
  regex: ['string_pattern_mismatch', 'String should match the documented pattern'],
}

function wording(issue: Issue): [type: string, msg: string] {
  switch (issue.code) {
    case 'invalid_type': {
      if (issue.input === undefined) return ['missing', 'Field required']
      const [type, noun] = typeWordings[issue.expected] ?? [
        'value_error',
        `a valid ${issue.expected}`,
      ]
      return [type, `Input should be ${noun}`]
    }
    case 'invalid_union':
      // Only a discriminated union gets here: its discriminator matched no branch.
      return choiceWording(issue)
    case 'invalid_value':
      if (issue.input === undefined) return ['missing', 'Field required']
      return ['literal_error', `Input should be ${alternatives(issue.values)}`]
    case 'too_small':
      return sizeWording(issue.origin, 'min', Number(issue.minimum), issue.inclusive !== false)
    case 'too_big':
      return sizeWording(issue.origin, 'max', Number(issue.maximum), issue.inclusive !== false)
    case 'invalid_format':
      return formatWordings[issue.format] ?? ['value_error', issue.message]
    case 'custom': {
      const { type } = (issue.params ?? {}) as { type?: string }
      return [type ?? 'value_error', issue.message]
    }
    default:
      return ['value_error', issue.message]
  }
}

function choiceWording(issue: z.core.$ZodIssueInvalidUnion): [type: string, msg: string] {
  const given = (issue.input ?? {}) as Record<string, unknown>
  const field = String(issue.path.at(-1))
  if (given[field] === undefined) return ['missing', 'Field required']
  const { options } = issue as { options?: readonly unknown[] }
  return ['literal_error', `Input should be ${alternatives(options ?? [])}`]
}

function alternatives(values: readonly unknown[]): string {
  const quoted = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
  const last = quoted.pop()
  return quoted.length > 0 ? `${quoted.join(', ')} or ${last}` : `${last}`
}

function sizeWording(
  origin: string,
  side: 'min' | 'max',
  bound: number,
  isInclusive: boolean,
): [type: string, msg: string] {
  const edge = side === 'min' ? 'at least' : 'at most'
  const plural = (noun: string) => `${bound} ${noun}${bound === 1 ? '' : 's'}`
  if (origin === 'string') {
    const type = side === 'min' ? 'string_too_short' : 'string_too_long'
    return [type, `String should have ${edge} ${plural('character')}`]
  }
  if (origin === 'array' || origin === 'set') {
    const type = side === 'min' ? 'too_short' : 'too_long'
    return [type, `List should have ${edge} ${plural('item')} after validation`]
  }
  const comparison = side === 'min' ? 'greater than' : 'less than'
  const type = `${comparison.replace(' ', '_')}${isInclusive ? '_equal' : ''}`
  return [type, `Input should be ${comparison}${isInclusive ? ' or equal to' : ''} ${bound}`]
}
