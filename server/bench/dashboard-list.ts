import type { Page } from 'puppeteer-core'
import { type BenchFact, median } from './bench-row.ts'
import { openDashboardTab } from './dashboard-tab.ts'
import { hostCount, storedTaskCount } from './full-task-list.ts'

const repeats = 30

/** From an input to painted rows, in the list of tasks, which ends at 10 000. */
export async function measureDashboardList(): Promise<BenchFact[]> {
  await using resources = new AsyncDisposableStack()
  const { page, url } = await openDashboardTab(resources)
  const inputs: Record<string, () => Promise<number[]>> = {
    'wheel, 400 px': () => scrolling(page, url, 400),
    'wheel, 2 000 px': () => scrolling(page, url, 2_000),
    'wheel, 8 000 px, to rows that were not read ahead': () => scrolling(page, url, 8_000),
    'another status': () => choosingStatus(page, url),
    'a host, after a pause of 200 ms': () =>
      typing(page, url, 'Host', (index) => `shop-${index % hostCount}.example`),
    'a part of the URL, after a pause of 200 ms': () =>
      typing(page, url, 'URL contains', (index) => `s/9${index}`),
  }
  const facts: BenchFact[] = []
  for (const [input, measure] of Object.entries(inputs)) {
    const times = await measure()
    const figure = `${median(times).toFixed(0)}, ${highest(times).toFixed(0)} ms`
    console.error(`  ${input}: ${figure}`)
    facts.push({
      measure: `dashboard, 10 000 of ${storedTaskCount} tasks in the list: input (${input}) → painted rows, median, p95`,
      figure,
      wanted: 'median ≤ 100 ms',
    })
  }
  return facts
}

const highest = (times: readonly number[]): number =>
  [...times].sort((one, other) => one - other)[Math.floor(times.length * 0.95)] ?? Number.NaN

async function scrolling(page: Page, url: string, distancePx: number): Promise<number[]> {
  await openList(page, url)
  await page.mouse.move(640, 500)
  const times: number[] = []
  for (let index = 0; index < repeats; index++) {
    const before = Number(await page.evaluate('rowsInSight().rows[0].number'))
    const isDone = `({ rows, isFilled }) => isFilled && rows[0].number !== ${before}`
    times.push(
      await timeToPaint(page, 'wheel', isDone, () => page.mouse.wheel({ deltaY: distancePx })),
    )
  }
  return times
}

async function choosingStatus(page: Page, url: string): Promise<number[]> {
  const times: number[] = []
  for (let index = 0; index < repeats; index++) {
    // Opened anew, as what was shown a moment before is still in memory.
    await openList(page, url)
    const status = ['failed', 'completed', 'cancelled'][index % 3] ?? ''
    const choice = await page.waitForSelector('::-p-aria([name="Status"][role="combobox"])')
    times.push(
      await timeToPaint(page, 'change', allContain(status), async () => choice?.select(status)),
    )
  }
  return times
}

async function typing(
  page: Page,
  url: string,
  field: string,
  textOf: (index: number) => string,
): Promise<number[]> {
  const times: number[] = []
  for (let index = 0; index < repeats; index++) {
    await openList(page, url)
    const text = textOf(index)
    const input = await page.waitForSelector(`::-p-aria([name="${field}"])`)
    await input?.focus()
    // At once, as if it were pasted: what counts is the time from the last letter.
    const type = () => page.keyboard.sendCharacter(text)
    times.push(await timeToPaint(page, 'input', allContain(text), type))
  }
  return times
}

const allContain = (text: string): string =>
  `({ rows, isFilled }) => isFilled && rows.every(({ text }) => text.includes(${JSON.stringify(text)}))`

/** The page listens before the input is made: the two take different ways into the browser. */
async function timeToPaint(
  page: Page,
  eventType: string,
  isAsWanted: string,
  act: () => Promise<unknown>,
): Promise<number> {
  await page.evaluate(`void (globalThis.painted = timeToPaint('${eventType}', ${isAsWanted}))`)
  await act()
  return Number(await page.evaluate('globalThis.painted'))
}

async function openList(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/app/tasks`)
  await page.waitForFunction(
    'globalThis.rowsInSight && rowsInSight().isFilled && rowsInSight().rows.length > 5',
  )
}
