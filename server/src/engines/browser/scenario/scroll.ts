import { elementScript, pollPage } from './poll-page.ts'
import type { Perform } from './step.ts'
import { waitForFrame } from './wait-for-frame.ts'

export const scroll: Perform<'scroll_x' | 'scroll_y'> = async (
  step,
  { action, selector, value },
) => {
  const by = action === 'scroll_x' ? `left: ${value}` : `top: ${value}`
  const script = (what: string) => `${what}.scrollBy({ ${by}, behavior: 'instant' })`
  if (selector === undefined)
    await step.page.deadline.during(step.page.world.evaluate(script('window')))
  else await pollPage(step, elementScript(selector, `${script('element')}; return { found: true }`))
  await waitForFrame(step.page)
  return {}
}
