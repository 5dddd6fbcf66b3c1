import type { StepReport } from '../../../domain/scrape/page.ts'
import { untilGrown } from './growth.ts'
import { atElement, lookFor, shown } from './look.ts'
import { untilFrame } from './next-frame.ts'
import { ActionProblem, type Perform, type Step } from './step.ts'

type Items = NonNullable<StepReport['items']>

const itemsBytesMax = 10 * 2 ** 20
// Longer than most pages think about what they want next.
const pauseMs = 1_000

export const scrollOnList: Perform<'scroll_on_list_and_get_items'> = async (step, { options }) => {
  const { list_selector, items_selector, num_of_items } = options
  const at = (body: string) => atElement(list_selector, `${itemsOf(items_selector)}${body}`)
  const measure = () => lookFor<number>(step, at('return { found: items.length }'))
  let count = await measure()
  while (count < num_of_items) {
    await scrollOn(step, at)
    const after = await untilGrown(step.page, { before: count, pauseMs, measure })
    if (after === count) break
    count = after
  }
  const items = await lookFor<Items | null>(step, at(read(num_of_items)))
  const bytes = items?.reduce((sum, { html, text }) => sum + byteLength(html) + byteLength(text), 0)
  if (!items || (bytes ?? 0) > itemsBytesMax) {
    throw new ActionProblem(`its items have more than ${itemsBytesMax} bytes`)
  }
  return { items }
}

/** First to where the items end, which some pages watch for, then all around to its end. */
async function scrollOn(step: Step, at: (body: string) => string): Promise<void> {
  for (const way of [toLastItem, toTheEnd]) {
    await lookFor(step, at(way))
    await untilFrame(step.page)
  }
}

const itemsOf = (selector: string): string => `
  let items
  try {
    items = [...element.querySelectorAll(${JSON.stringify(selector)})]
  } catch {
    return { obstacle: ${JSON.stringify(shown(selector))} + ' is no CSS selector', isFinal: true }
  }
`

const toLastItem = `
  const last = items.at(-1) ?? element
  last.scrollIntoView({ block: 'center', behavior: 'instant' })
  return { found: true }
`

const toTheEnd = `
  for (let around = element; around; around = around.parentElement) {
    around.scrollTo({ top: around.scrollHeight, behavior: 'instant' })
  }
  return { found: true }
`

/** Null when there is too much to be read. */
const read = (count: number): string => `
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
