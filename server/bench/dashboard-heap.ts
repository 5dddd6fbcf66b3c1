import { setTimeout as pause } from 'node:timers/promises'
import type { CDPSession, Page } from 'puppeteer-core'
import type { WatchedEvent } from '../src/wire/events/responses.ts'
import type { BenchFact } from './bench-row.ts'
import { type DashboardTab, openDashboardTab } from './dashboard-tab.ts'
import { apiKey } from './program.ts'

/** Four times a second, which is as often as the service sends. */
const batchCount = 3_600 * 4
const eventsABatch = 5
/** The hour in two minutes: slower than the tab can hear, so that it also reads again what has changed. */
const pauseMs = 8

/** The heap of a tab before and after an hour of events, half of it on the overview, half on the tasks. */
export async function measureDashboardHeap(): Promise<BenchFact[]> {
  await using resources = new AsyncDisposableStack()
  const tab = await openDashboardTab(resources)
  const { page } = tab
  const ids = await taskIds(tab)
  const devtools = await page.createCDPSession()
  await openPage(page, 'Overview')
  await openPage(page, 'Tasks')
  await openPage(page, 'Overview')
  const before = await heapBytes(devtools)
  let reads = 0
  page.on('response', (response) => {
    if (response.url().includes('/v1/')) reads++
  })
  await replay(tab, ids, batchCount / 2)
  await openPage(page, 'Tasks')
  await replay(tab, ids, batchCount / 2)
  await openPage(page, 'Overview')
  const after = await heapBytes(devtools)
  return [
    {
      measure: `dashboard: heap of a tab after ${batchCount * eventsABatch} events (20 a second, an hour's worth) and ${reads} answers over the start`,
      figure: `${mb(after - before)} MB over ${mb(before)} MB`,
      wanted: '≤ 50 MB over the start',
    },
  ]
}

const mb = (bytes: number): string => (bytes / 1e6).toFixed(1)

async function taskIds({ url }: DashboardTab): Promise<string[]> {
  const response = await fetch(`${url}/v1/tasks?page_size=100`, {
    headers: { 'x-api-key': apiKey },
  })
  const { tasks } = (await response.json()) as { tasks: { id: string }[] }
  return tasks.map(({ id }) => id)
}

async function openPage(page: Page, name: string): Promise<void> {
  const link = await page.waitForSelector(`::-p-aria([name="${name}"][role="link"])`)
  await link?.click()
  await page.waitForSelector(`::-p-aria([name="${name}"][role="heading"])`)
  await page.waitForNetworkIdle({ concurrency: 1 })
}

async function heapBytes(devtools: CDPSession): Promise<number> {
  // Twice, as what the first frees may hold others.
  await devtools.send('HeapProfiler.collectGarbage')
  await devtools.send('HeapProfiler.collectGarbage')
  const { usedSize } = await devtools.send('Runtime.getHeapUsage')
  return usedSize
}

let eventNumber = 0

async function replay({ gateway }: DashboardTab, ids: string[], batches: number): Promise<void> {
  for (let batch = 0; batch < batches; batch++) {
    const at = new Date().toISOString()
    const tasks = Array.from({ length: eventsABatch - 1 }, (_, index): WatchedEvent => {
      const number = eventNumber + index
      const status = number % 2 === 0 ? 'processing' : 'completed'
      return { type: 'task', task_id: ids[number % ids.length] ?? '', job_id: null, status, at }
    })
    const queue: WatchedEvent = { type: 'queue', waiting: batch % 50, running: 4, at }
    await gateway.send([...tasks, queue].map(asServerSentEvent).join(''))
    await pause(pauseMs)
  }
}

const asServerSentEvent = (event: WatchedEvent): string =>
  `id: replayed-${++eventNumber}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
