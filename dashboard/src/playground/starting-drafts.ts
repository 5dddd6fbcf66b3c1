import type { Drafts } from './option-drafts.ts'
import type { OptionField } from './option-fields.ts'

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
