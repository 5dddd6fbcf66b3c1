import type { ScrapeOptions } from '../domain/scrape/scrape-options.ts'
import { browserUnavailable } from '../domain/service/browser-unavailable.ts'
import type { BrowserFacts } from '../domain/service/health.ts'
import type { LocalBrowser } from '../engines/browser/local-browser.ts'
import type { Queue } from '../queue/queue.ts'

/** Whether tasks that need a browser can be run: by this process, or by another on its store. */
export interface BrowserAccess {
  /** Refuses what nobody could run. */
  requireBrowser(options: ScrapeOptions): Promise<void>
  /** `isTried`: only after a page was opened, or could not be. */
  describe(asked: { isTried: boolean }): Promise<BrowserFacts>
}

export function createBrowserAccess({
  browser,
  queue,
  isWorker,
}: {
  browser: LocalBrowser
  queue: Pick<Queue, 'isAdvertisedElsewhere'>
  isWorker: boolean
}): BrowserAccess {
  return {
    async requireBrowser(options) {
      if ((await browser.isReady()) || (await queue.isAdvertisedElsewhere('browser'))) return
      const { state } = browser.facts()
      // Between the two looks an installation may have ended, or a start.
      if (state === 'ready') return
      throw browserUnavailable(options, isWorker ? state : 'no worker')
    },
    async describe({ isTried }) {
      if (isTried) await browser.checkHealth()
      const facts = browser.facts()
      if (facts.state === 'ready') return facts
      const limits = { deadlineMs: describedWithinMs }
      const isElsewhere = await queue.isAdvertisedElsewhere('browser', limits).catch(() => false)
      return isElsewhere ? elsewhere : facts
    },
  }
}

// As long as a store has to answer whether it is there.
const describedWithinMs = 1_000

/** The worker that has it can be asked for the rest. */
const elsewhere: BrowserFacts = {
  state: 'ready',
  isElsewhere: true,
  version: null,
  flavor: null,
  sandbox: null,
  opensPages: null,
}
