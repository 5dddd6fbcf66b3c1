import type { StepReport } from '../../../domain/scrape/page.ts'
import { waitAtMost } from '../../../runtime/deadline.ts'
import type { LivePage } from '../page/live-page.ts'
import { elementScript, pollPage, quoteSelector } from './poll-page.ts'
import { ActionProblem, isRejected, type Perform, type Step, sleep } from './step.ts'

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
async function waitForFrame({ world, deadline }: LivePage): Promise<void> {
  const drawn = world.evaluate(nextFrame).catch((error: unknown) => {
    if (!isRejected(error)) throw error
  })
  await deadline.during(waitAtMost(drawn, frameMsMax))
}

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

type Items = NonNullable<StepReport['items']>

const itemsBytesMax = 10 * 2 ** 20
// Most pages begin to load more items within this time.
const pauseMs = 1_000

export const scrollOnList: Perform<'scroll_on_list_and_get_items'> = async (step, { options }) => {
  const { list_selector, items_selector, num_of_items } = options
  const script = (body: string) => elementScript(list_selector, `${itemsOf(items_selector)}${body}`)
  const measure = () => pollPage<number>(step, script('return { found: items.length }'))
  let count = await measure()
  while (count < num_of_items) {
    await scrollOn(step, script)
    const after = await waitForGrowth(step.page, { before: count, pauseMs, measure })
    if (after === count) break
    count = after
  }
  const items = await pollPage<Items | null>(step, script(readItems(num_of_items)))
  const bytes = items?.reduce((sum, { html, text }) => sum + byteLength(html) + byteLength(text), 0)
  if (!items || (bytes ?? 0) > itemsBytesMax) {
    throw new ActionProblem(`the items have more than ${itemsBytesMax} bytes`)
  }
  return { items }
}

/** Some pages observe the last item, others the scroll position of the list or its ancestors. */
async function scrollOn(step: Step, script: (body: string) => string): Promise<void> {
  for (const body of [scrollToLastItem, scrollListToEnd]) {
    await pollPage(step, script(body))
    await waitForFrame(step.page)
  }
}

const itemsOf = (selector: string): string => `
  let items
  try {
    items = [...element.querySelectorAll(${JSON.stringify(selector)})]
  } catch {
    return { obstacle: ${JSON.stringify(quoteSelector(selector))} + ' is not a valid CSS selector', isFinal: true }
  }
`

const scrollToLastItem = `
  const last = items.at(-1) ?? element
  last.scrollIntoView({ block: 'center', behavior: 'instant' })
  return { found: true }
`

const scrollListToEnd = `
  for (let around = element; around; around = around.parentElement) {
    around.scrollTo({ top: around.scrollHeight, behavior: 'instant' })
  }
  return { found: true }
`

/** Finds null when the items are too large. */
const readItems = (count: number): string => `
  const read = []
  let characters = 0
  for (const item of items.slice(0, ${count})) {
    const { outerHTML: html, innerText: text = item.textContent } = item
    characters += html.length + text.length
    if (characters > ${itemsBytesMax}) return { found: null }
    read.push({ html, text })
  }
  return { found: read }
`

const byteLength = (text: string): number => Buffer.byteLength(text)

const pollIntervalMs = 50
// How long a page needs to show data that it has loaded.
const shownWithinMs = 100
// Some requests never end.
const dataMsMax = 5_000

/** Whether the page may still load more content after a scroll. */
export const mayGrow = (
  { sinceMs, dataQuietMs }: { sinceMs: number; dataQuietMs: number },
  pauseMs: number,
): boolean => sinceMs < pauseMs || (dataQuietMs < shownWithinMs && sinceMs < pauseMs + dataMsMax)

/** Waits after a scroll until `measure` grows. Returns the new value, or `before` otherwise. */
async function waitForGrowth(
  page: LivePage,
  { before, pauseMs, measure }: { before: number; pauseMs: number; measure(): Promise<number> },
): Promise<number> {
  const startedAtMs = performance.now()
  for (;;) {
    const now = await measure()
    if (now > before) return now
    const sinceMs = performance.now() - startedAtMs
    if (!mayGrow({ sinceMs, dataQuietMs: page.log.dataQuietMs() }, pauseMs)) return before
    await sleep(page, pollIntervalMs)
  }
}
