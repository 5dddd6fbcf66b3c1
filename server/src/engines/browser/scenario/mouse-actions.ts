import * as mouse from './mouse.ts'
import { reachElement } from './reach-element.ts'
import type { Perform } from './step.ts'

export const click: Perform<'click'> = async (step, { selector, options }) => {
  const point = await reachElement(step, selector, { mustBeEnabled: true })
  await mouse.click(step.page, point, options)
  return {}
}

export const hover: Perform<'hover'> = async (step, { selector }) => {
  await mouse.moveMouse(step.page, await reachElement(step, selector, { mustBeEnabled: false }))
  return {}
}
