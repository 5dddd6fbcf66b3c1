import type { ScrapeOptions } from '../domain/scrape/scrape-options.ts'
import { browserUnavailable } from '../domain/service/browser-unavailable.ts'
import type { BrowserFacts } from '../domain/service/health.ts'
import type { LocalBrowser } from '../engines/browser/local-browser.ts'
import type { Queue } from '../queue/queue.ts'

export type BrowserAccess = ReturnType<typeof createBrowserAccess>

/** Whether tasks that need a browser can be run: by this process, or by another on its store. */
export function createBrowserAccess(parts: {
  browser: LocalBrowser
  queue: Pick<Queue, 'isAdvertisedElsewhere'>
  isWorker: boolean
}) {
  const { browser, queue, isWorker } = parts
  const hasBrowser = async (): Promise<boolean> =>
    (await browser.isReady()) || (await queue.isAdvertisedElsewhere('browser'))

  return {
    hasBrowser,
    /** Throws when the options need a browser and no process has one. */
    async requireBrowser(options: ScrapeOptions): Promise<void> {
      if (await hasBrowser()) return
      const { state } = browser.facts()
      // The browser may have become ready since the first check.
      if (state === 'ready') return
      throw browserUnavailable(options, isWorker ? state : 'no worker')
    },
    /** With `isTried` the health check tries to open a page first. */
    async describe({ isTried }: { isTried: boolean }): Promise<BrowserFacts> {
      if (isTried) await browser.checkHealth()
      const facts = browser.facts()
      if (facts.state === 'ready') return facts
      const limits = { deadlineMs: describeDeadlineMs }
      const isElsewhere = await queue.isAdvertisedElsewhere('browser', limits).catch(() => false)
      return isElsewhere ? elsewhere : facts
    },
  }
}

// The same deadline as for pinging the store.
const describeDeadlineMs = 1_000

/** The details are known only to the worker that has the browser. */
const elsewhere: BrowserFacts = {
  state: 'ready',
  isElsewhere: true,
  version: null,
  flavor: null,
  sandbox: null,
  opensPages: null,
}
