import { waitAtMost, withDeadline } from '../../runtime/deadline.ts'
import type { Log } from '../../runtime/log.ts'

/** Whether the browser really opens pages, found out when somebody asks. */
export interface BrowserTrial {
  /** What the last trial came to; null while there was none. */
  readonly isPassed: boolean | null
  /** Resolves after a trial that is fresh enough, or when the asker has waited long enough. */
  ask(): Promise<void>
}

interface TrialOptions {
  log: Log
  /** Opens a page; throws when that fails, or when the signal says that it took too long. */
  open(signal: AbortSignal): Promise<void>
  freshMs?: number
  waitMs?: number
  takesMsMax?: number
}

/** Anybody may ask, so asking often must cost nothing. */
export function createBrowserTrial(options: TrialOptions): BrowserTrial {
  const { log, open, freshMs = 30_000, waitMs = 5_000, takesMsMax = 30_000 } = options
  let isPassed: boolean | null = null
  let triedAtMs = Number.NEGATIVE_INFINITY
  let trying: Promise<void> | undefined

  return {
    get isPassed() {
      return isPassed
    },
    async ask() {
      if (trying === undefined && performance.now() - triedAtMs >= freshMs) {
        trying = tryOnce().finally(() => {
          trying = undefined
          triedAtMs = performance.now()
        })
      }
      if (trying !== undefined) await waitAtMost(trying, waitMs)
    },
  }

  async function tryOnce(): Promise<void> {
    try {
      await withDeadline(open, { ms: takesMsMax })
      isPassed = true
    } catch (error) {
      isPassed = false
      log.warn({ err: error }, 'The browser was tried and did not open a page.')
    }
  }
}
