import type { z } from 'zod'
import { nearest } from '../runtime/nearest.ts'
import { type Fault, InvalidRequest } from './problem.ts'

type Part = 'body' | 'query' | 'path' | 'header'
type Issue = z.core.$ZodIssue

/** Reads one part of a request by its schema; all its faults at once, in pydantic's words. */
function faultsOf(error: z.ZodError, part: Part, schema: z.ZodType): Fault[] {
  return error.issues.flatMap((issue) => toFaults(issue, part, schema))
}

interface PartSchema {
  part: Part
  schema: z.ZodType | undefined
  key: 'params' | 'query' | 'body'
}

/** Validates several parts together, so that a caller hears of every fault in one answer. */
export function partsReader(parts: readonly PartSchema[]) {
  return (request: Record<PartSchema['key'], unknown>): Record<PartSchema['key'], unknown> => {
    const values = { params: undefined, query: undefined, body: undefined } as ReturnType<
      ReturnType<typeof partsReader>
    >
    const faults: Fault[] = []
    for (const { part, schema, key } of parts) {
      const parsed = schema?.safeParse(request[key], { reportInput: true })
      if (parsed?.error && schema) faults.push(...faultsOf(parsed.error, part, schema))
      values[key] = parsed?.data
    }
    if (faults.length > 0) throw new InvalidRequest(faults)
    return values
  }
}

function toFaults(issue: Issue, part: Part, schema: z.ZodType): Fault[] {
  const loc = [part, ...issue.path.map(String)]
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(schema, issue.path)
    return issue.keys.map((key) => ({
      loc: [...loc, key],
      msg: `Extra inputs are not permitted${didYouMean(nearest(key, known))}`,
      type: 'extra_forbidden',
    }))
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

/** Of the ways a value could have been right, the one it is nearest to. */
const closestBranch = (branches: Issue[][]): Issue[] =>
  branches.reduce<Issue[]>(
    (best, branch) => (best.length === 0 || depth(branch) > depth(best) ? branch : best),
    [],
  )

const depth = (issues: Issue[]): number => Math.max(0, ...issues.map((issue) => issue.path.length))

const didYouMean = (name: string | undefined): string => (name ? `; did you mean '${name}'?` : '')

function keysAt(schema: z.ZodType, path: PropertyKey[]): string[] {
  let at: unknown = schema
  for (const key of path) at = unwrapped(at)?.[String(key)]
  return Object.keys(unwrapped(at) ?? {})
}

/** The fields of an object schema, through the wrappers that defaults and transformations put around it. */
function unwrapped(schema: unknown): Record<string, unknown> | undefined {
  let inner = schema as
    | { shape?: Record<string, unknown>; def?: Record<string, unknown> }
    | undefined
  while (inner && !inner.shape) {
    inner = (inner.def?.['innerType'] ?? inner.def?.['in'] ?? inner.def?.['out']) as typeof inner
  }
  return inner?.shape
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
