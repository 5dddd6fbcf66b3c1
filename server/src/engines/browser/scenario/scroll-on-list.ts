import type { StepReport } from '../../../domain/scrape/page.ts'
import { waitForGrowth } from './growth.ts'
import { elementScript, pollPage, quoteSelector } from './poll-page.ts'
import { waitForFrame } from './scroll.ts'
import { ActionProblem, type Perform, type Step } from './step.ts'

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
  for (const body of [scrollToLastItem, scrollToEnd]) {
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

const scrollToEnd = `
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
