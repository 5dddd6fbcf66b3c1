import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../../../domain/failure.ts'
import { isXPath } from '../../../domain/scrape/selector.ts'
import type { WaitMode } from '../../../domain/scrape/wait-plan.ts'
import type { IsolatedWorld } from '../cdp/isolated-world.ts'
import type { MainDocument, MainDocumentTracker } from './main-document-tracker.ts'
import { firstPollPauseMs, nextPollPauseMs } from './poll-pauses.ts'
import type { RequestLog } from './request-log.ts'
import type { VisitDeadline } from './visit-deadline.ts'

export interface PageWait {
  deadline: VisitDeadline
  tracker: MainDocumentTracker
  log: RequestLog
  world: IsolatedWorld
}

const isReadyIn: Record<WaitMode, (document: MainDocument) => boolean> = {
  documentLoaded: ({ isReceived, response }) => isReceived && response !== undefined,
  domLoaded: ({ isDomLoaded }) => isDomLoaded,
  load: ({ isLoaded }) => isLoaded,
  SPA: ({ isLoaded }) => isLoaded,
  longPolling: ({ isLoaded }) => isLoaded,
  networkIdle: ({ isLoaded }) => isLoaded,
}

/** Whether the page has reached the state that the mode waits for. */
export const isModeReached = ({ tracker }: PageWait, mode: WaitMode): boolean =>
  tracker.isSettled(isReadyIn[mode])

/** Waits for that state. Returns false when time is up first and the page is at least parsed. */
export async function waitForReadyState(page: PageWait, mode: WaitMode): Promise<boolean> {
  const { deadline } = page
  let isTimeUp = false
  const timer = setTimeout(() => {
    isTimeUp = true
    deadline.recheck()
  }, waitingMs(deadline.leftMs))
  let isReached = false
  const isEnough = () => isTimeUp && mode in quietPeriods && isModeReached(page, 'domLoaded')
  try {
    await deadline.waitUntil(() => {
      isReached = isModeReached(page, mode)
      return isReached || isEnough()
    })
  } finally {
    clearTimeout(timer)
  }
  return isReached
}

interface QuietPeriods {
  /** For so long the DOM must not have changed. */
  domQuietMs: number
  /** For so long no fetch or XHR must have been pending. */
  dataQuietMs: number
}

const quietPeriods: Partial<Record<WaitMode, QuietPeriods>> = {
  SPA: { domQuietMs: 250, dataQuietMs: 500 },
  longPolling: { domQuietMs: 500, dataQuietMs: 0 },
  networkIdle: { domQuietMs: 0, dataQuietMs: 500 },
}

/** Reserves time before the deadline for reading a page that never becomes quiet. */
const waitingMs = (leftMs: number): number => Math.max(leftMs - 5_000, leftMs * 0.8)

/**
 * Waits until the page is quiet (network idle and no DOM changes), as the mode says. Returns false
 * when time is up first. Only quiet from now on counts: scripts have just got the `load` event.
 */
export async function waitForQuiet(page: PageWait, mode: WaitMode): Promise<boolean> {
  const period = quietPeriods[mode]
  if (!period) return true
  const { deadline, log, world } = page
  const startedAtMs = performance.now()
  const waitedMsMax = waitingMs(deadline.leftMs)
  for (;;) {
    const domQuietMs = await deadline.during(world.evaluate<number>(domQuiet).catch(() => 0))
    const waitedMs = performance.now() - startedAtMs
    const missingMs = Math.max(
      period.domQuietMs - Math.min(domQuietMs, waitedMs),
      period.dataQuietMs - Math.min(log.dataQuietMs(), waitedMs),
    )
    if (missingMs <= 0) return true
    if (waitedMs > waitedMsMax) return false
    await deadline.during(pause(Math.max(Math.min(missingMs, waitedMsMax - waitedMs), 10)))
  }
}

/** For how long the DOM has not changed, counted from the first call at the earliest. */
const domQuiet = `(globalThis.trawlQuietMs ??= (() => {
  let changedAtMs = performance.now()
  const observer = new MutationObserver(() => { changedAtMs = performance.now() })
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
  return () => performance.now() - changedAtMs
})())()`

/** An expression that says whether the page has the element. */
const isFoundBy = (selector: string): string =>
  isXPath(selector)
    ? `document.evaluate(${JSON.stringify(`boolean(${selector})`)}, document, null, XPathResult.BOOLEAN_TYPE).booleanValue`
    : `document.querySelector(${JSON.stringify(selector)}) !== null`

/** Polls, as that works across navigations and with scripts turned off. */
export async function waitForSelector(page: PageWait, selector: string): Promise<void> {
  const { deadline, world } = page
  using _ = deadline.onTimeout(
    () => new Failure('SELECTOR_NOT_FOUND', `Nothing matched the selector in time: ${selector}`),
  )
  const expression = isFoundBy(selector)
  for (let pauseMs = firstPollPauseMs; ; pauseMs = nextPollPauseMs(pauseMs)) {
    const isFound = await deadline.during(
      world.evaluate<boolean>(expression).catch((error: unknown) => {
        if (!String(error).includes('SyntaxError')) return false
        throw new Failure('SELECTOR_NOT_FOUND', `This is not a valid selector: ${selector}`)
      }),
    )
    if (isFound) return
    await deadline.during(pause(pauseMs))
  }
}
