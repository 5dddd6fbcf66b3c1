import { untilGrown } from './growth.ts'
import { lookFor } from './look.ts'
import { untilFrame } from './next-frame.ts'
import { type Perform, rest } from './step.ts'

const measured = (before: string): string => `(() => {
  const scrolled = document.scrollingElement ?? document.documentElement
  ${before}
  return { found: scrolled.scrollHeight }
})()`
const toTheEnd = measured("scrollTo({ top: scrolled.scrollHeight, behavior: 'instant' })")

/** To the end of the page again and again, as long as the page becomes longer. */
export const infiniteScroll: Perform<'infinite_scroll'> = async (step, { options }) => {
  const { max_scrolls, delay } = options
  for (let scrolls = 0; scrolls < max_scrolls; scrolls++) {
    const before = await lookFor<number>(step, toTheEnd)
    await untilFrame(step.page)
    await rest(step.page, delay)
    const measure = () => lookFor<number>(step, measured(''))
    const after = await untilGrown(step.page, { before, pauseMs: 0, measure })
    if (after === before) break
  }
  return {}
}
