import { waitAtMost } from '../../../runtime/deadline.ts'
import type { LivePage } from '../page/live-page.ts'
import { elementScript, pollPage } from './poll-page.ts'
import { isRejected, type Perform } from './step.ts'

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

// A busy page may not draw a frame for long.
const frameMsMax = 200

const nextFrame = 'new Promise((resolve) => requestAnimationFrame(() => resolve()))'

/** Waits for the next animation frame: the page has its scroll events by then. */
export async function waitForFrame({ world, deadline }: LivePage): Promise<void> {
  const drawn = world.evaluate(nextFrame).catch((error: unknown) => {
    if (!isRejected(error)) throw error
  })
  await deadline.during(waitAtMost(drawn, frameMsMax))
}
