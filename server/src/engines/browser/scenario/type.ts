import { focusElement } from './focus-element.ts'
import { typeStroke } from './keyboard.ts'
import { strokesOf } from './keys.ts'
import { type Perform, sleep } from './step.ts'

export const type: Perform<'type'> = async (step, { selector, value, options }) => {
  await focusElement(step, selector, { mustBeWritable: true })
  for (const [index, stroke] of strokesOf(value).entries()) {
    if (index > 0 && options.delay > 0) await sleep(step.page, options.delay)
    await typeStroke(step.page, stroke)
  }
  return {}
}
