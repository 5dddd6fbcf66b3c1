import { atElement, lookFor } from './look.ts'
import { enabled } from './reach-element.ts'
import type { Perform } from './step.ts'

/** By its value, or else by what is written on it; options may come late. */
export const select: Perform<'select'> = async (step, { selector, value }) => {
  await lookFor<true>(step, atElement(selector, `${enabled}${chosen(value)}`))
  return {}
}

const chosen = (value: string): string => `
  if (element.localName !== 'select') return { obstacle: name + ' is no <select>', isFinal: true }
  const value = ${JSON.stringify(value)}
  const options = [...element.options]
  const option = options.find((one) => one.value === value) ?? options.find((one) => one.label.trim() === value.trim())
  if (!option) return { obstacle: name + ' has no option ' + JSON.stringify(value.slice(0, 100)) }
  if (option.matches(':disabled')) return { obstacle: 'that option of ' + name + ' is disabled' }
  for (const one of options) one.selected = one === option
  for (const type of ['input', 'change']) element.dispatchEvent(new Event(type, { bubbles: true }))
  return { found: true }
`
