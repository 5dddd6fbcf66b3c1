import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../../domain/failure.ts'
import type { ScrapeOptions } from '../../domain/scrape-options.ts'
import type { DocumentWatch, MainDocument } from './document-watch.ts'
import type { IsolatedWorld } from './isolated-world.ts'
import type { RequestLog } from './request-log.ts'
import type { VisitEnd } from './visit-end.ts'

type Mode = ScrapeOptions['mode']

export interface Waiting {
  end: VisitEnd
  watch: DocumentWatch
  log: RequestLog
  world: IsolatedWorld
}

const moments: Record<Mode, (document: MainDocument) => boolean> = {
  documentLoaded: ({ isReceived, response }) => isReceived && response !== undefined,
  domLoaded: ({ isDomLoaded }) => isDomLoaded,
  load: ({ isLoaded }) => isLoaded,
  SPA: ({ isLoaded }) => isLoaded,
  longPolling: ({ isLoaded }) => isLoaded,
}

/** Whether the moment has come that the mode names. */
export const isThere = ({ watch }: Waiting, mode: Mode): boolean => watch.isSettled(moments[mode])

export const untilThere = (waiting: Waiting, mode: Mode): Promise<void> =>
  waiting.end.until(() => isThere(waiting, mode))

interface Rest {
  /** For so long the DOM has not changed. */
  domQuietMs: number
  /** For so long no fetch or XHR has been under way. */
  dataQuietMs: number
}

const rests: Partial<Record<Mode, Rest>> = {
  SPA: { domQuietMs: 250, dataQuietMs: 500 },
  longPolling: { domQuietMs: 500, dataQuietMs: 0 },
}

/** What is kept of the time for reading a page that never came to rest. */
const readingMs = (leftMs: number): number => Math.min(3_000, leftMs * 0.2)

/** Waits until the page has come to rest, as the mode says; false when time was up before. */
export async function untilAtRest(waiting: Waiting, mode: Mode): Promise<boolean> {
  const rest = rests[mode]
  if (!rest) return true
  const { end, log, world } = waiting
  const untilMs = performance.now() + end.leftMs - readingMs(end.leftMs)
  for (;;) {
    const domQuietMs = await end.during(world.evaluate<number>(domQuiet).catch(() => 0))
    const missingMs = Math.max(rest.domQuietMs - domQuietMs, rest.dataQuietMs - log.dataQuietMs())
    if (missingMs <= 0) return true
    if (performance.now() > untilMs) return false
    await end.during(pause(Math.max(missingMs, 10)))
  }
}

/** For how long the document has not changed, seen from when this was asked first. */
const domQuiet = `(globalThis.trawlQuietMs ??= (() => {
  let changedAtMs = performance.now()
  const observer = new MutationObserver(() => { changedAtMs = performance.now() })
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
  return () => performance.now() - changedAtMs
})())()`

const lookMsMin = 10
const lookMsMax = 100

/** Looks again and again, so that it works across documents and where scripts are off. */
export async function untilSelected({ end, world }: Waiting, selector: string): Promise<void> {
  using _ = end.ifLate(
    () => new Failure('SELECTOR_NOT_FOUND', `Nothing matched the selector in time: ${selector}`),
  )
  const expression = `document.querySelector(${JSON.stringify(selector)}) !== null`
  for (let lookMs = lookMsMin; ; lookMs = Math.min(lookMs * 2, lookMsMax)) {
    const isFound = await end.during(
      world.evaluate<boolean>(expression).catch((error: unknown) => {
        if (!String(error).includes('SyntaxError')) return false
        throw new Failure('SELECTOR_NOT_FOUND', `This is no selector: ${selector}`)
      }),
    )
    if (isFound) return
    await end.during(pause(lookMs))
  }
}
