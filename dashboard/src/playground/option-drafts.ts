import type { OptionField } from './option-fields.ts'

/**
 * What somebody has entered, by the key of the field; what is not in it has its default. It is text even
 * while it is not valid yet; the items of a list are its lines.
 */
export type Drafts = Readonly<Record<string, string>>

type Body = Readonly<Record<string, unknown>>

export type DraftedBody = ReturnType<typeof draftedBody>

/** What was entered, as the body of the request without the defaults; and what is wrong, by the key of its field. */
export function draftedBody(fields: readonly OptionField[], drafts: Drafts) {
  const body: Record<string, unknown> = {}
  const faults: Record<string, string> = {}
  for (const field of fields) {
    try {
      const value = enteredValue(field, drafts[field.key] ?? '')
      if (value !== undefined) setAt(body, field.path, value)
      else if (field.isRequired) faults[field.key] = 'This is required.'
    } catch (error) {
      faults[field.key] = error instanceof Error ? error.message : String(error)
    }
  }
  return { body, faults }
}

/** The same backwards: the drafts of a body, and what of it no field can show. */
export function draftsOf(
  fields: readonly OptionField[],
  body: Body,
): { drafts: Drafts; unknown: string[] } {
  const drafts: Record<string, string> = {}
  for (const field of fields) {
    const value = getAt(body, field.path)
    const draft = value === undefined || value === null ? undefined : draftOf(field, value)
    if (draft !== undefined) drafts[field.key] = draft
  }
  const shown = draftedBody(fields, drafts).body
  return { drafts, unknown: missingIn(shown, body, fields, []) }
}

/** Of what was entered for one operation, the part that another one has too. */
export function carriedDrafts(fields: readonly OptionField[], drafts: Drafts): Drafts {
  const page = drafts['url'] ?? linesOf(drafts['urls'] ?? '')[0] ?? ''
  const given: Drafts = { ...drafts, url: page, urls: drafts['urls'] ?? page }
  return Object.fromEntries(
    fields.flatMap(({ key }) => {
      const draft = given[key]
      return draft === undefined || draft === '' ? [] : [[key, draft]]
    }),
  )
}

/** Whether a field is sent. */
export const isSet = (field: OptionField, drafts: Drafts): boolean => {
  try {
    return enteredValue(field, drafts[field.key] ?? '') !== undefined
  } catch {
    return true
  }
}

/** Undefined where it is the default; throws what is wrong. */
function enteredValue(field: OptionField, draft: string): unknown {
  if (draft.trim() === '') return undefined
  const value = parsers[field.kind](draft, field)
  // Whoever chooses the default says so: it may depend on other options.
  if (field.kind === 'choice') return value
  return isSame(value, field.default) ? undefined : value
}

const parsers = {
  flag: (draft: string) => draft === 'true',
  choice: chosen,
  choices: (draft: string, field: OptionField) => linesOf(draft).map((line) => chosen(line, field)),
  number: numberOf,
  text: (draft: string) => draft.trim(),
  lines: linesOf,
  json: jsonOf,
  any(draft: string): unknown {
    try {
      return JSON.parse(draft)
    } catch {
      return draft
    }
  },
} satisfies Record<OptionField['kind'], (draft: string, field: OptionField) => unknown>

function chosen(draft: string, { choices }: OptionField): unknown {
  const choice = choices.find((one) => String(one) === draft)
  if (choice === undefined) throw new Error(`This is one of ${choices.join(', ')}.`)
  return choice
}

function linesOf(draft: string): string[] {
  return draft
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function numberOf(draft: string, { isWhole, minimum, maximum }: OptionField): number {
  const value = Number(draft)
  if (!Number.isFinite(value)) throw new Error('This is a number.')
  if (isWhole && !Number.isInteger(value)) throw new Error('This is a whole number.')
  if (minimum !== undefined && value < minimum) throw new Error(`This is at least ${minimum}.`)
  if (maximum !== undefined && value > maximum) throw new Error(`This is at most ${maximum}.`)
  return value
}

function jsonOf(draft: string): unknown {
  try {
    return JSON.parse(draft)
  } catch (error) {
    throw new Error(`This is JSON, and ${error instanceof Error ? error.message : 'it is not'}`)
  }
}

/** Undefined where the field cannot show the value. */
function draftOf({ kind, choices }: OptionField, value: unknown): string | undefined {
  const isText = typeof value === 'string'
  switch (kind) {
    case 'choice':
      return choices.some((choice) => choice === value) ? String(value) : undefined
    case 'choices':
    case 'lines':
      return isTexts(value) ? value.join('\n') : undefined
    case 'json':
      return JSON.stringify(value, null, 2)
    case 'any':
      return isText && parsers.any(value) === value ? value : JSON.stringify(value, null, 2)
    default:
      return typeof value === typeOfKind[kind] ? String(value) : undefined
  }
}

const typeOfKind = { flag: 'boolean', number: 'number', text: 'string' }

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((line) => typeof line === 'string')

/** Paths in a body that is not in the other one; a default that is written out is no difference. */
function missingIn(
  shown: unknown,
  given: unknown,
  fields: readonly OptionField[],
  path: readonly string[],
): string[] {
  const key = path.join('.')
  const field = fields.find((one) => one.key === key)
  if (field) {
    const isShown = given === null || isSame(shown, given) || isSame(given, field.default)
    return isShown ? [] : [key]
  }
  if (isFields(given) && (path.length === 0 || fields.some((one) => startsWith(one.path, path)))) {
    return Object.entries(given).flatMap(([name, value]) =>
      missingIn(isFields(shown) ? ownValue(shown, name) : undefined, value, fields, [
        ...path,
        name,
      ]),
    )
  }
  return given === null ? [] : [key]
}

const startsWith = (path: readonly string[], beginning: readonly string[]): boolean =>
  beginning.every((name, index) => path[index] === name)

function setAt(body: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path
  if (rest.length === 0) {
    body[name] = value
    return
  }
  body[name] ??= {}
  setAt(body[name] as Record<string, unknown>, rest, value)
}

const getAt = (body: Body, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => (isFields(at) ? ownValue(at, name) : undefined), body)

/** Not what every object inherits: names come from an address that anybody may write. */
const ownValue = (fields: Body, name: string): unknown =>
  Object.hasOwn(fields, name) ? fields[name] : undefined

export const isFields = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)
