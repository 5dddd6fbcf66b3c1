import { focusElement } from './focus-element.ts'
import { pressChord, typeStroke } from './keyboard.ts'
import { findChord, isPaste, strokesOf } from './keys.ts'
import { ActionProblem, type Perform, sleep } from './step.ts'

export const press: Perform<'press'> = async (step, { selector, value }) => {
  const chord = findChord(value)
  if (!chord) throw new ActionProblem(`there is no key named ${JSON.stringify(value)}`)
  if (isPaste(chord)) throw new ActionProblem('there is no clipboard to paste from')
  if (selector !== undefined) await focusElement(step, selector, { mustBeWritable: false })
  await pressChord(step.page, chord)
  return {}
}

export const type: Perform<'type'> = async (step, { selector, value, options }) => {
  await focusElement(step, selector, { mustBeWritable: true })
  for (const [index, stroke] of strokesOf(value).entries()) {
    if (index > 0 && options.delay > 0) await sleep(step.page, options.delay)
    await typeStroke(step.page, stroke)
  }
  return {}
}
