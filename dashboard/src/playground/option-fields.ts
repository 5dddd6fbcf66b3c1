import type { OptionSchema, SchemaBook } from './json-schema.ts'
import type { PlaygroundOperation } from './playground-request.ts'

/**
 * How an option is entered: a checkbox, one of several values, several of them, a number, a line of text,
 * lines of text, JSON, or text that is JSON where it can be.
 */
type FieldKind = 'flag' | 'choice' | 'choices' | 'number' | 'text' | 'lines' | 'json' | 'any'

type Choice = string | number | boolean

/** An option of a request, wherever in the body it stands. */
export interface OptionField {
  path: readonly string[]
  /** The path as one name. */
  key: string
  kind: FieldKind
  description: string
  isRequired: boolean
  /** Undefined where the service describes none. */
  default: unknown
  /** Of `choice` and `choices`. */
  choices: readonly Choice[]
  isWhole: boolean
  minimum: number | undefined
  maximum: number | undefined
}

/** The options of an operation in the order of its schema, those of nested objects in place. */
export function listOptionFields(book: SchemaBook, operation: PlaygroundOperation): OptionField[] {
  return fieldsOf(book, book.getRequestSchema(operation), [])
}

function fieldsOf(book: SchemaBook, parent: OptionSchema, above: readonly string[]): OptionField[] {
  return Object.entries(parent.properties ?? {}).flatMap(([name, given]) => {
    const schema = book.resolve(given)
    const path = [...above, name]
    if (schema.properties) return fieldsOf(book, schema, path)
    const form = formOf(book, schema)
    return {
      path,
      key: path.join('.'),
      ...form,
      description: schema.description ?? '',
      isRequired: above.length === 0 && (parent.required?.includes(name) ?? false),
      // Null means that nothing is set.
      default: schema.default ?? undefined,
    }
  })
}

type FieldForm = Pick<OptionField, 'kind' | 'choices' | 'isWhole' | 'minimum' | 'maximum'>

const plain = { choices: [], isWhole: false, minimum: undefined, maximum: undefined }

function formOf(book: SchemaBook, schema: OptionSchema): FieldForm {
  const given = schema.anyOf?.map((one) => book.resolve(one)) ?? [schema]
  const variants = given.filter(({ type }) => type !== 'null')
  const [only] = variants
  if (variants.length === 1 && only) {
    const items = only.items && book.resolve(only.items)
    return formOfOne({ ...only, ...(items && { items }) }, schema.default)
  }
  if (variants.every(({ type, enum: values }) => type === 'boolean' || values)) {
    return { ...plain, kind: 'choice', choices: variants.flatMap(choicesOf) }
  }
  return { ...plain, kind: 'any' }
}

function formOfOne(schema: OptionSchema, byDefault: unknown): FieldForm {
  const { type, items, minimum, maximum } = schema
  if (schema.enum) return { ...plain, kind: 'choice', choices: choicesOf(schema) }
  switch (type) {
    case 'boolean':
      // A checkbox cannot show that nothing is set.
      return byDefault === undefined
        ? { ...plain, kind: 'choice', choices: choicesOf(schema) }
        : { ...plain, kind: 'flag' }
    case 'integer':
    case 'number':
      return { ...plain, kind: 'number', isWhole: type === 'integer', minimum, maximum }
    case 'string':
      return { ...plain, kind: 'text' }
    case 'array':
      if (items?.enum) return { ...plain, kind: 'choices', choices: choicesOf(items) }
      return { ...plain, kind: items?.type === 'string' ? 'lines' : 'json' }
    default:
      return { ...plain, kind: type === undefined ? 'any' : 'json' }
  }
}

const choicesOf = (schema: OptionSchema): Choice[] =>
  schema.type === 'boolean' ? [false, true] : ((schema.enum ?? []) as Choice[])

/** Options of one object of the body. */
export interface FieldGroup {
  /** The path of the object; empty for the body itself. */
  name: string
  fields: readonly OptionField[]
}

/** The options that a search finds, object by object; those that are required stand elsewhere. */
export function groupFields(fields: readonly OptionField[], search: string): FieldGroup[] {
  const words = search.toLowerCase().split(/\s+/)
  const found = fields.filter(
    ({ isRequired, key, description }) =>
      !isRequired && words.every((word) => `${key} ${description}`.toLowerCase().includes(word)),
  )
  const groups = Map.groupBy(found, ({ path }) => path.slice(0, -1).join('.'))
  return [...groups].map(([name, ofGroup]) => ({ name, fields: ofGroup }))
}
