import { focused, writable } from './focus-element.ts'
import { insertText, pressChord } from './keyboard.ts'
import { deletion } from './keys.ts'
import { atElement, lookFor } from './look.ts'
import { enabled } from './reach-element.ts'
import type { Perform, Step } from './step.ts'

export const fill: Perform<'fill'> = async (step, { selector, value }) => {
  await write(step, selector, value)
  return {}
}

export const clear: Perform<'clear'> = async (step, { selector }) => {
  await write(step, selector, '')
  return {}
}

/** Puts the text in place of what is there, as if all had been selected and typed over. */
async function write(step: Step, selector: string, value: string): Promise<void> {
  const script = atElement(selector, `${fillable}${enabled}${writable}${focused}${begun(value)}`)
  const isSet = (await lookFor<'set' | 'selected'>(step, script)) === 'set'
  if (isSet) return
  if (value === '') await pressChord(step.page, deletion)
  else await insertText(step.page, value)
}

const fillable = `
  const texts = ['text', 'search', 'url', 'tel', 'email', 'password']
  const settings = ['number', 'date', 'time', 'datetime-local', 'month', 'week', 'color', 'range']
  const isInput = element.localName === 'input'
  const isSetting = isInput && settings.includes(element.type)
  const isText = element.localName === 'textarea' || (isInput && texts.includes(element.type))
  if (!isSetting && !isText && !element.isContentEditable) {
    return { obstacle: name + ' cannot be filled' + (element.localName === 'select' ? '; select can choose' : ''), isFinal: true }
  }
`

/** What has a form of its own, as a date, takes it from a picker: it is set as that does it. */
const begun = (value: string): string => `
  const value = ${JSON.stringify(value)}
  if (isSetting) {
    element.value = value
    const isTaken = value === '' || (element.type === 'color' ? element.value === value.toLowerCase() : element.value !== '')
    if (!isTaken) return { obstacle: name + ' does not take this value', isFinal: true }
    for (const type of ['input', 'change']) element.dispatchEvent(new Event(type, { bubbles: true }))
    return { found: 'set' }
  }
  if (isText) element.select()
  else getSelection().selectAllChildren(element)
  return { found: 'selected' }
`
