import type { SchemaBook } from './json-schema.ts'
import { carriedDrafts, type Drafts, draftsOf } from './option-drafts.ts'
import { listOptionFields, type OptionField } from './option-fields.ts'
import {
  type PlaygroundOperation,
  type PlaygroundRequest,
  playgroundOperations,
} from './playground-request.ts'
import { readHash } from './share-link.ts'

export interface FormState {
  operation: PlaygroundOperation
  fields: readonly OptionField[]
  drafts: Drafts
  /** Something about how the form was filled. */
  notice: string | undefined
}

/** The form as an address fills it, else with its starting values. */
export function formOfHash(book: SchemaBook, hash: string): FormState {
  try {
    const shared = readHash(hash)
    if (!shared) return emptyForm(book, 'extract')
    return formOfRequest(book, shared.request, shared.leftOut)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return {
      ...emptyForm(book, 'extract'),
      notice: `The request in this address cannot be read. ${reason}`,
    }
  }
}

export function formOfRequest(
  book: SchemaBook,
  { operation, body }: PlaygroundRequest,
  leftOut: readonly string[] = [],
): FormState {
  const fields = listOptionFields(book, operation)
  const { drafts, unknown } = draftsOf(fields, body)
  const missing = [...leftOut, ...unknown]
  const notice = missing.length > 0 ? `Not taken over: ${missing.join(', ')}.` : undefined
  return { operation, fields, drafts, notice }
}

/** The operation that a path of the API belongs to. */
export const operationOfPath = (path: string): PlaygroundOperation | undefined =>
  (Object.keys(playgroundOperations) as PlaygroundOperation[]).find(
    (operation) => playgroundOperations[operation].path === path,
  )

/** Another operation, with what it shares with the one before. */
export function formOfOperation(
  book: SchemaBook,
  operation: PlaygroundOperation,
  before: Drafts,
): FormState {
  const form = emptyForm(book, operation)
  return { ...form, drafts: { ...form.drafts, ...carriedDrafts(form.fields, before) } }
}

export function withDraft(form: FormState, key: string, draft: string): FormState {
  const { [key]: _, ...others } = form.drafts
  return { ...form, drafts: draft === '' ? others : { ...others, [key]: draft } }
}

export const withoutDrafts = (form: FormState, keys: readonly string[]): FormState =>
  keys.reduce((at, key) => withDraft(at, key, ''), form)

function emptyForm(book: SchemaBook, operation: PlaygroundOperation): FormState {
  const fields = listOptionFields(book, operation)
  return { operation, fields, drafts: startingDrafts(fields), notice: undefined }
}

/**
 * What the playground sets at first, so that a run shows the most. It is seen in the form as any other
 * option, and can be reset.
 */
export function startingDrafts(fields: readonly OptionField[]): Drafts {
  const isExtraction = fields.some(({ key }) => key === 'formats')
  const wanted: Drafts = isExtraction
    ? { formats: 'html\nmarkdown', 'configurations.debug': 'true' }
    : // The records of `debug` are in the result object.
      { 'configurations.debug': 'true', 'configurations.response_format': 'json' }
  return Object.fromEntries(
    fields.flatMap(({ key }) => (wanted[key] === undefined ? [] : [[key, wanted[key]]])),
  )
}
