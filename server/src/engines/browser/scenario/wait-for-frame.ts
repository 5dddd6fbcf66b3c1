import { waitAtMost } from '../../../runtime/deadline.ts'
import type { LivePage } from '../page/live-page.ts'
import { isRejected } from './step.ts'

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
