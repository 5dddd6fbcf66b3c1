import { z } from 'zod'
import { parseUrl } from '../parse-url.ts'
import { storableText } from '../storable-text.ts'

/** Public clients send `null` for options that they do not set. */
export const unset = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined)

type IsUnset = (key: string, value: unknown) => boolean
const isNull: IsUnset = (_key, value) => value === null

/**
 * Drops the fields that are not set before an object is parsed. Once per object is faster than in each
 * field's schema, and each field keeps its plain schema in the OpenAPI document.
 */
export const withoutUnset = <Schema extends z.ZodType>(schema: Schema, isUnset = isNull) =>
  z.preprocess((given) => dropUnset(given, isUnset), schema)

/** More unknown names are no typing mistakes, and listing 9 000 of them takes 20 ms. */
const unknownNamesMax = 100

/** An object of options; an unknown option is an error. */
export function options<Shape extends z.ZodRawShape>(shape: Shape, isUnset = isNull) {
  const namesMax = Object.keys(shape).length + unknownNamesMax
  const tooMany = tooLong(`Dictionary should have at most ${namesMax} items`)
  return z.preprocess((given, context) => {
    if (!hasMoreNames(given, namesMax)) return dropUnset(given, isUnset)
    context.addIssue({ ...tooMany, input: given })
    return given
  }, z.strictObject(shape))
}

/** To list the names of an object of thousands takes milliseconds each time, so they are only counted, and once. */
export function hasMoreNames(given: unknown, namesMax: number): boolean {
  if (!isPlainObject(given)) return false
  let count = 0
  for (const _ in given) {
    if (++count > namesMax) return true
  }
  return false
}

/** The same with a default. */
export const optionsByDefault = <Shape extends z.ZodRawShape>(shape: Shape) =>
  emptyByDefault(options(shape))

/** The default is an empty object, parsed once and shared. */
export function emptyByDefault<Schema extends z.ZodType>(schema: Schema) {
  const byDefault = deepFreeze(schema.parse({})) as Exclude<z.output<typeof schema>, undefined>
  return schema.default(() => byDefault)
}

/** Whether an object or list has no value that is set. */
export const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' &&
  (value === null || Object.values(value).every((inner) => inner === null))

/** Requests share the parsed defaults, so no code may change them. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  Object.values(value).forEach(deepFreeze)
  return Object.freeze(value)
}

/** A URL to fetch from or to post to. */
export const httpUrl = (charactersMax: number) =>
  storableText(charactersMax).refine(
    (text) => /^https?:\/\//i.test(text) && parseUrl(text) !== null,
    {
      params: { type: 'url_parsing' },
      message: 'Input should be an absolute http or https URL',
    },
  )

/**
 * Checks the size of a value before its parts are parsed: listing an issue for each of tens of
 * thousands of parts would take many times as long as parsing the JSON itself.
 */
export const checkSizeFirst = <Schema extends z.ZodType>(
  schema: Schema,
  isWithin: (given: unknown) => boolean,
  issue: SizeIssue,
) =>
  z.preprocess((given, context) => {
    if (!isWithin(given)) context.addIssue({ ...issue, input: given })
    return given
  }, schema)

type SizeIssue =
  | { code: 'too_big'; origin: string; maximum: number; inclusive: true; message?: string }
  | { code: 'custom'; params: { type: 'too_long' }; message: string }

/** A list with a maximum number of items. */
export const listUpTo = <Item extends z.ZodType>(itemsMax: number, item: Item, itemsMin = 0) =>
  checkSizeFirst(
    itemsMin === 0 ? z.array(item).max(itemsMax) : z.array(item).min(itemsMin).max(itemsMax),
    (given) => !Array.isArray(given) || given.length <= itemsMax,
    { code: 'too_big', origin: 'array', maximum: itemsMax, inclusive: true },
  )

export const tooLong = (message: string): SizeIssue => ({
  code: 'custom',
  params: { type: 'too_long' },
  message,
})

/** Whether a value takes at most `bytesMax` bytes as JSON, however deep it is. */
export function isJsonWithin(value: unknown, bytesMax: number): boolean {
  // Each value takes at least a byte. Counting them first protects `JSON.stringify`, which recurses,
  // from values that are too deep for its stack.
  const waiting = [value]
  for (let count = 0; waiting.length > 0; count++) {
    if (count > bytesMax) return false
    const next = waiting.pop()
    if (typeof next === 'object' && next !== null) {
      const parts = Object.values(next)
      if (parts.length > bytesMax) return false
      for (const part of parts) waiting.push(part)
    }
  }
  return Buffer.byteLength(JSON.stringify(value)) <= bytesMax
}

function dropUnset(given: unknown, isUnset: IsUnset): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  const fields = given as Record<string, unknown>
  for (const key in fields) {
    if (isUnset(key, fields[key])) {
      return Object.fromEntries(Object.entries(fields).filter((field) => !isUnset(...field)))
    }
  }
  return given
}

export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
