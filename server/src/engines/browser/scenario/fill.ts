import { insertText, pressChord } from './keyboard.ts'
import { deletion } from './keys.ts'
import { elementScript, pollPage } from './poll-page.ts'
import { requireEnabled, requireWritable, takeFocus } from './reach-element.ts'
import type { Perform, Step } from './step.ts'

export const fill: Perform<'fill'> = async (step, { selector, value }) => {
  await write(step, selector, value)
  return {}
}

export const clear: Perform<'clear'> = async (step, { selector }) => {
  await write(step, selector, '')
  return {}
}

/** Replaces the content with the text, as if the user had selected all and typed over it. */
async function write(step: Step, selector: string, value: string): Promise<void> {
  const requirements = `${requireFillable}${requireEnabled}${requireWritable}`
  const script = elementScript(selector, `${requirements}${takeFocus}${setOrSelect(value)}`)
  const isSet = (await pollPage<'set' | 'selected'>(step, script)) === 'set'
  if (isSet) return
  if (value === '') await pressChord(step.page, deletion)
  else await insertText(step.page, value)
}

const requireFillable = `
  const texts = ['text', 'search', 'url', 'tel', 'email', 'password']
  const settings = ['number', 'date', 'time', 'datetime-local', 'month', 'week', 'color', 'range']
  const isInput = element.localName === 'input'
  const isSetting = isInput && settings.includes(element.type)
  const isText = element.localName === 'textarea' || (isInput && texts.includes(element.type))
  if (!isSetting && !isText && !element.isContentEditable) {
    return { obstacle: name + ' cannot be filled' + (element.localName === 'select' ? '; use the action select' : ''), isFinal: true }
  }
`

/** Inputs with a picker, as dates, are set directly and fire the events that the picker would. */
const setOrSelect = (value: string): string => `
  const value = ${JSON.stringify(value)}
  if (isSetting) {
    element.value = value
    const isAccepted = value === '' || (element.type === 'color' ? element.value === value.toLowerCase() : element.value !== '')
    if (!isAccepted) return { obstacle: name + ' does not accept this value', isFinal: true }
    for (const type of ['input', 'change']) element.dispatchEvent(new Event(type, { bubbles: true }))
    return { found: 'set' }
  }
  if (isText) element.select()
  else getSelection().selectAllChildren(element)
  return { found: 'selected' }
`

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
