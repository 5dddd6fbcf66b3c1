import type { ExtractOptions } from './extract-options.ts'
import type { ScrapeOptions } from './scrape-options.ts'

/** What a browser waits for before a page is read, in this order. */
export interface WaitPlan {
  mode: WaitMode
  /** CSS selector or XPath. */
  selector?: string | undefined
  pauseMs?: number | undefined
}

export type WaitMode = ScrapeOptions['mode'] | 'networkIdle'

type WaitConfig = NonNullable<ExtractOptions['wait_config']>

const modeByState = {
  commit: 'documentLoaded',
  domcontentloaded: 'domLoaded',
  load: 'load',
  networkidle: 'networkIdle',
} satisfies Record<NonNullable<WaitConfig['wait_until']>, WaitMode>

/** A caller who gives a configuration owns the whole wait: what it does not say is not waited for. */
export function planWait({ wait_until, wait_for, wait_timeout }: WaitConfig): WaitPlan {
  const isMoreAwaited = wait_for !== undefined || (wait_timeout ?? 0) > 0
  const mode = modeByState[wait_until ?? 'commit']
  return {
    // A selector and a pause are about the page, not about the response as it was received.
    mode: mode === 'documentLoaded' && isMoreAwaited ? 'domLoaded' : mode,
    selector: wait_for,
    pauseMs: wait_timeout,
  }
}
