import { z } from 'zod'
import { storableText } from '../storable-text.ts'

/** Public clients send `null` for what they do not set. */
export const unset = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined)

type IsUnset = (key: string, value: unknown) => boolean
const isNull: IsUnset = (_key, value) => value === null

/**
 * Reads an object as if the fields that are not set were not there. One look for a whole object costs
 * less than a look at each field, and each field keeps its plain schema in the OpenAPI document.
 */
export const withoutUnset = <Schema extends z.ZodType>(schema: Schema, isUnset = isNull) =>
  z.preprocess((given) => dropUnset(given, isUnset), schema)

/** Options by name; an unknown one is a fault. */
export const options = <Shape extends z.ZodRawShape>(shape: Shape, isUnset = isNull) =>
  withoutUnset(z.strictObject(shape), isUnset)

/** The same, and left out it is what an empty object would be, parsed once and shared. */
export function optionsByDefault<Shape extends z.ZodRawShape>(shape: Shape) {
  const schema = options(shape)
  const byDefault = deepFreeze(schema.parse({})) as Exclude<z.output<typeof schema>, undefined>
  return schema.default(() => byDefault)
}

/** An object or list without anything in it that is set. */
export const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' &&
  (value === null || Object.values(value).every((inner) => inner === null))

/** Parts of what was parsed are shared between requests, so nobody may write on them. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  Object.values(value).forEach(deepFreeze)
  return Object.freeze(value)
}

/** An address to fetch from or to post to. */
export const httpUrl = (charactersMax: number) =>
  storableText(charactersMax).refine((text) => /^https?:\/\//i.test(text) && URL.canParse(text), {
    params: { type: 'url_parsing' },
    message: 'Input should be an absolute http or https URL',
  })

/**
 * Judges the size of a value before anything inside of it is read: reading tens of thousands of parts
 * only to name a fault of each takes many times as long as parsing the JSON they came in.
 */
export const sizedFirst = <Schema extends z.ZodType>(
  schema: Schema,
  isWithin: (given: unknown) => boolean,
  fault: SizeFault,
) =>
  z.preprocess((given, context) => {
    if (!isWithin(given)) context.addIssue({ ...fault, input: given })
    return given
  }, schema)

type SizeFault =
  | { code: 'too_big'; origin: string; maximum: number; inclusive: true; message?: string }
  | { code: 'custom'; params: { type: 'too_long' }; message: string }

/** A list of so many items at most. */
export const listUpTo = <Item extends z.ZodType>(itemsMax: number, item: Item, itemsMin = 0) =>
  sizedFirst(
    itemsMin === 0 ? z.array(item).max(itemsMax) : z.array(item).min(itemsMin).max(itemsMax),
    (given) => !Array.isArray(given) || given.length <= itemsMax,
    { code: 'too_big', origin: 'array', maximum: itemsMax, inclusive: true },
  )

export const tooLong = (message: string): SizeFault => ({
  code: 'custom',
  params: { type: 'too_long' },
  message,
})

/** Whether a value takes no more than so many bytes as JSON, however deep it is. */
export function isJsonWithin(value: unknown, bytesMax: number): boolean {
  // Each value takes a byte or more. Counting them first keeps `JSON.stringify`, which recurses, from
  // what is too deep for its stack.
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
