import { atElement, lookFor } from './look.ts'
import { untilFrame } from './next-frame.ts'
import type { Perform } from './step.ts'

export const scroll: Perform<'scroll_x' | 'scroll_y'> = async (
  step,
  { action, selector, value },
) => {
  const by = action === 'scroll_x' ? `left: ${value}` : `top: ${value}`
  const scrolled = (what: string) => `${what}.scrollBy({ ${by}, behavior: 'instant' })`
  if (selector === undefined)
    await step.page.end.during(step.page.world.evaluate(scrolled('window')))
  else await lookFor(step, atElement(selector, `${scrolled('element')}; return { found: true }`))
  await untilFrame(step.page)
  return {}
}
