import type { OptionField } from './option-fields.ts'

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
