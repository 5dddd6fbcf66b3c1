import { waitForGrowth } from './growth.ts'
import { pollPage } from './poll-page.ts'
import { waitForFrame } from './scroll.ts'
import { type Perform, sleep } from './step.ts'

const measureScript = (before: string): string => `(() => {
  const scrolled = document.scrollingElement ?? document.documentElement
  ${before}
  return { found: scrolled.scrollHeight }
})()`
const scrollToEnd = measureScript("scrollTo({ top: scrolled.scrollHeight, behavior: 'instant' })")

/** Scrolls to the end of the page for as long as the page grows. */
export const infiniteScroll: Perform<'infinite_scroll'> = async (step, { options }) => {
  const { max_scrolls, delay } = options
  for (let scrolls = 0; scrolls < max_scrolls; scrolls++) {
    const before = await pollPage<number>(step, scrollToEnd)
    await waitForFrame(step.page)
    await sleep(step.page, delay)
    const measure = () => pollPage<number>(step, measureScript(''))
    const after = await waitForGrowth(step.page, { before, pauseMs: 0, measure })
    if (after === before) break
  }
  return {}
}
