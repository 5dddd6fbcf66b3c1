import type { Fault } from '@trawl/sdk'
import type { Drafts } from './option-drafts.ts'
import type { OptionField } from './option-fields.ts'

/** As the errors of the SDK are; most have only some of it. */
export interface RefusedRequest {
  message: string
  code?: string
  reason?: string
  detail?: readonly Fault[]
}

/** What the service said about a field, by its key; what it said about no field is its message. */
export function fieldFaultsOf(fields: readonly OptionField[], refused: RefusedRequest): Drafts {
  if (isAboutUrl(refused) && !refused.detail?.length) return { url: refused.message }
  const faults: Record<string, string> = {}
  for (const { loc, msg } of refused.detail ?? []) {
    const field = fieldAt(fields, loc.slice(1))
    if (!field) continue
    const inside = loc.slice(1 + field.path.length)
    faults[field.key] ??= inside.length > 0 ? `${inside.join('.')}: ${msg}` : msg
  }
  return faults
}

const isAboutUrl = ({ code, reason }: RefusedRequest): boolean =>
  [code, reason].some((one) => one === 'INVALID_URL' || one === 'URL_NOT_ALLOWED')

/** The field itself, the field that the place lies in, or the first of those that lie in the place. */
const fieldAt = (
  fields: readonly OptionField[],
  place: readonly string[],
): OptionField | undefined =>
  fields.find(({ path }) => path.every((name, index) => place[index] === name)) ??
  fields.find(({ path }) => place.every((name, index) => path[index] === name))
