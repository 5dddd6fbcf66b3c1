import { waitAtMost } from '../../../runtime/deadline.ts'
import type { LivePage } from '../page/live-page.ts'
import { isRefusal } from './step.ts'

// A page that does not draw in this time has other things to do.
const frameMsMax = 200

const nextFrame = 'new Promise((resolve) => requestAnimationFrame(() => resolve()))'

/** By then the page has heard that it was scrolled. */
export async function untilFrame({ world, end }: LivePage): Promise<void> {
  const drawn = world.evaluate(nextFrame).catch((error: unknown) => {
    if (!isRefusal(error)) throw error
  })
  await end.during(waitAtMost(drawn, frameMsMax))
}
