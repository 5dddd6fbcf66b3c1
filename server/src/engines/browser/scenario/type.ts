import { focusElement } from './focus-element.ts'
import { enter } from './keyboard.ts'
import { strokesOf } from './keys.ts'
import { type Perform, rest } from './step.ts'

export const type: Perform<'type'> = async (step, { selector, value, options }) => {
  await focusElement(step, selector, { isWritten: true })
  for (const [index, stroke] of strokesOf(value).entries()) {
    if (index > 0 && options.delay > 0) await rest(step.page, options.delay)
    await enter(step.page, stroke)
  }
  return {}
}
