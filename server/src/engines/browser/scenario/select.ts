import { elementScript, pollPage } from './poll-page.ts'
import { requireEnabled } from './reach-element.ts'
import type { Perform } from './step.ts'

/** Selects an option by its value, or else by its label; waits for options that are added later. */
export const select: Perform<'select'> = async (step, { selector, value }) => {
  await pollPage<true>(step, elementScript(selector, `${requireEnabled}${chooseOption(value)}`))
  return {}
}

const chooseOption = (value: string): string => `
  if (element.localName !== 'select') return { obstacle: name + ' is not a <select>', isFinal: true }
  const value = ${JSON.stringify(value)}
  const options = [...element.options]
  const option = options.find((one) => one.value === value) ?? options.find((one) => one.label.trim() === value.trim())
  if (!option) return { obstacle: name + ' has no option ' + JSON.stringify(value.slice(0, 100)) }
  if (option.matches(':disabled')) return { obstacle: 'that option of ' + name + ' is disabled' }
  for (const one of options) one.selected = one === option
  for (const type of ['input', 'change']) element.dispatchEvent(new Event(type, { bubbles: true }))
  return { found: true }
`
