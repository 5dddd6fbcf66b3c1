import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../../../domain/failure.ts'
import type { ScrapeOptions } from '../../../domain/scrape/scrape-options.ts'
import type { IsolatedWorld } from '../cdp/isolated-world.ts'
import type { MainDocument, MainDocumentTracker } from './main-document-tracker.ts'
import { firstPollPauseMs, nextPollPauseMs } from './poll-pauses.ts'
import type { RequestLog } from './request-log.ts'
import type { VisitDeadline } from './visit-deadline.ts'

type Mode = ScrapeOptions['mode']

export interface PageWait {
  end: VisitDeadline
  watch: MainDocumentTracker
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
export const isThere = ({ watch }: PageWait, mode: Mode): boolean => watch.isSettled(moments[mode])

/** Waits for it; false when time was up before, with a page that is parsed at least. */
export async function waitForReadyState(waiting: PageWait, mode: Mode): Promise<boolean> {
  const { end } = waiting
  let isTimeUp = false
  const timer = setTimeout(() => {
    isTimeUp = true
    end.changed()
  }, waitingMs(end.leftMs))
  let isReached = false
  const isEnough = () => isTimeUp && mode in rests && isThere(waiting, 'domLoaded')
  try {
    await end.until(() => {
      isReached = isThere(waiting, mode)
      return isReached || isEnough()
    })
  } finally {
    clearTimeout(timer)
  }
  return isReached
}

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

/** The rest of the time is kept for reading a page that never came to rest. */
const waitingMs = (leftMs: number): number => Math.max(leftMs - 5_000, leftMs * 0.8)

/**
 * Waits until the page has come to rest, as the mode says; false when time was up before. What was
 * quiet before this began says nothing: scripts have just been told that the page is there.
 */
export async function waitForQuiet(waiting: PageWait, mode: Mode): Promise<boolean> {
  const rest = rests[mode]
  if (!rest) return true
  const { end, log, world } = waiting
  const startedAtMs = performance.now()
  const waitedMsMax = waitingMs(end.leftMs)
  for (;;) {
    const domQuietMs = await end.during(world.evaluate<number>(domQuiet).catch(() => 0))
    const waitedMs = performance.now() - startedAtMs
    const missingMs = Math.max(
      rest.domQuietMs - Math.min(domQuietMs, waitedMs),
      rest.dataQuietMs - Math.min(log.dataQuietMs(), waitedMs),
    )
    if (missingMs <= 0) return true
    if (waitedMs > waitedMsMax) return false
    await end.during(pause(Math.max(Math.min(missingMs, waitedMsMax - waitedMs), 10)))
  }
}

/** For how long the document has not changed, seen from when this was asked first. */
const domQuiet = `(globalThis.trawlQuietMs ??= (() => {
  let changedAtMs = performance.now()
  const observer = new MutationObserver(() => { changedAtMs = performance.now() })
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
  return () => performance.now() - changedAtMs
})())()`

/** Looks again and again, so that it works across documents and where scripts are off. */
export async function waitForSelector({ end, world }: PageWait, selector: string): Promise<void> {
  using _ = end.ifLate(
    () => new Failure('SELECTOR_NOT_FOUND', `Nothing matched the selector in time: ${selector}`),
  )
  const expression = `document.querySelector(${JSON.stringify(selector)}) !== null`
  for (let pauseMs = firstPollPauseMs; ; pauseMs = nextPollPauseMs(pauseMs)) {
    const isFound = await end.during(
      world.evaluate<boolean>(expression).catch((error: unknown) => {
        if (!String(error).includes('SyntaxError')) return false
        throw new Failure('SELECTOR_NOT_FOUND', `This is no selector: ${selector}`)
      }),
    )
    if (isFound) return
    await end.during(pause(pauseMs))
  }
}
