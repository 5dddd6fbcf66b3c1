import { setTimeout as pause } from 'node:timers/promises'
import { callApi } from '../../support/call-api.ts'
import { callWithRetry } from '../../support/retry-while-unavailable.ts'
import { until } from '../../support/until.ts'
import type { StoreOutage } from '../outages/run-outages.ts'
import { faultEnvironment, type ServiceProcess } from '../service-process.ts'
import type { DelayedOrigin } from './delayed-origin.ts'

/** What happens to the service while it works on pages. */
export interface Interruption {
  name: string
  /** Extractions that nobody waits for, all of which the origin has been asked for by then. */
  pages: { count: number; ms: number; timeoutMs: number; isRefusedFirst?: boolean }
  /** Callers who wait for a page meanwhile. */
  realtimeCount?: number
  /** Resolves when the service and its store are back. */
  strike(service: ServiceProcess): Promise<void>
}

export interface InterruptionReport {
  name: string
  submitted: number
  completed: number
  /** Every page has a target that answers it, so there should be none. */
  failed: string[]
  /** How many pages were fetched at once at most after the interruption. */
  atOnceAfter: number
  /** From the moment when all is back to the end of the last page. */
  doneMs: number
}

const submittedTogether = 16

export async function runInterruption(
  { service, origin }: { service: ServiceProcess; origin: DelayedOrigin },
  { name, pages, realtimeCount = 0, strike }: Interruption,
): Promise<InterruptionReport> {
  const group = name.replaceAll(/\W+/g, '-')
  const urls = Array.from({ length: pages.count + realtimeCount }, (_, index) =>
    origin.url({ ...pages, name: `${group}/${index}` }),
  )
  const ids: string[] = []
  const submit = async (url: string) => void ids.push(await submitPage(service, url, pages))
  const waiting = urls.splice(pages.count).map((url) => scrapeNow(service, url))
  for (let from = 0; from < urls.length; from += submittedTogether) {
    await Promise.all(urls.slice(from, from + submittedTogether).map(submit))
  }
  await until(() => origin.countRequested(group) === pages.count + realtimeCount)
  origin.takePeak()

  await strike(service)

  const backAtMs = performance.now()
  origin.takePeak()
  const failed: string[] = []
  for (const id of ids) failed.push(...(await untilEnded(service, id)))
  for (const outcome of await Promise.all(waiting)) {
    if (outcome !== '200') failed.push(`a waiting caller: ${outcome}`)
  }
  const submitted = pages.count + realtimeCount
  return {
    name,
    submitted,
    completed: submitted - failed.length,
    failed,
    atOnceAfter: origin.takePeak(),
    doneMs: performance.now() - backAtMs,
  }
}

/** SIGKILL, and a start at once. */
export async function killAndStart(service: ServiceProcess): Promise<void> {
  await service.end('SIGKILL')
  await service.start()
}

/** SIGTERM, and a start after a while. */
export const stopAndStart =
  (downMs: number) =>
  async (service: ServiceProcess): Promise<void> => {
    await service.end('SIGTERM')
    await pause(downMs)
    await service.start()
  }

/** The service runs on, but its store is away. */
export const loseStore =
  ({ begin, end, lastsMs }: StoreOutage) =>
  async (): Promise<void> => {
    await begin()
    await pause(lastsMs)
    await end()
  }

const headers = { 'x-api-key': faultEnvironment.TRAWL_API_KEY }

const call = (service: ServiceProcess, request: string, body?: object) =>
  callWithRetry(() => callApi(service.url, request, { headers, body }))

async function submitPage(
  service: ServiceProcess,
  url: string,
  { timeoutMs }: Interruption['pages'],
): Promise<string> {
  const body = { url, processing_mode: 'async', timeout: timeoutMs }
  const response = await call(service, 'POST /v1/extract', body)
  if (response.statusCode !== 202) throw new Error(`It was not accepted: ${response.text}`)
  return response.json().job_id
}

async function scrapeNow(service: ServiceProcess, url: string): Promise<string> {
  const response = await callApi(service.url, 'POST /api/scraper/scrape/realtime', {
    headers,
    body: { url },
  })
  return response.statusCode === 200 ? '200' : response.text
}

/** Why the page failed, if it did. */
async function untilEnded(service: ServiceProcess, id: string): Promise<string[]> {
  let job = { completed_at: null, status: '', error: null }
  const isEnded = async () => {
    job = (await call(service, `GET /v1/extract/${id}`)).json()
    return job.completed_at !== null
  }
  await until(isEnded, { withinMs: 600_000 })
  return job.status === 'completed' ? [] : [`${id}: ${JSON.stringify(job.error)}`]
}
