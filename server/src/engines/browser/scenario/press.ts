import { focusElement } from './focus-element.ts'
import { pressChord } from './keyboard.ts'
import { findChord, isPaste } from './keys.ts'
import { ActionProblem, type Perform } from './step.ts'

export const press: Perform<'press'> = async (step, { selector, value }) => {
  const chord = findChord(value)
  if (!chord) throw new ActionProblem(`there is no key named ${JSON.stringify(value)}`)
  if (isPaste(chord)) throw new ActionProblem('there is no clipboard to paste from')
  if (selector !== undefined) await focusElement(step, selector, { mustBeWritable: false })
  await pressChord(step.page, chord)
  return {}
}
