import { moveMouse } from './mouse.ts'
import { reachElement } from './reach-element.ts'
import type { Perform } from './step.ts'

export const hover: Perform<'hover'> = async (step, { selector }) => {
  await moveMouse(step.page, await reachElement(step, selector, { mustBeEnabled: false }))
  return {}
}
