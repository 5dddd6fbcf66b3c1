import { Failure } from '../failure.ts'
import { optionsNeedingBrowser } from '../scrape/choose-engine.ts'
import type { ScrapeOptions } from '../scrape/scrape-options.ts'
import type { BrowserState } from './health.ts'

/** Why there is no browser for a task: the state of this worker's, or no worker has one. */
export type BrowserProblem = Exclude<BrowserState, 'ready'> | 'no worker'

const problems = {
  absent: {
    because: ' but no Chromium was found.',
    advice:
      'Fix: run "npx trawl browser install", or on Debian "sudo apt install chromium-headless-shell", or set TRAWL_BROWSER_PATH.',
    retryAfterSeconds: 60,
  },
  installing: {
    because: ', and Chromium is still being installed.',
    advice: 'Retry in a moment.',
    retryAfterSeconds: 15,
  },
  broken: {
    because: ' but Chromium does not start.',
    advice: 'Fix: run "npx trawl doctor" there, which says why.',
    retryAfterSeconds: 60,
  },
  'no worker': {
    because: ' but no worker that has one is running.',
    advice: 'Fix: start a worker on a machine with Chromium.',
    retryAfterSeconds: 15,
  },
} satisfies Record<BrowserProblem, object>

/** The failure of a submission: a task that needs a browser is not accepted while there is none. */
export function browserUnavailable(options: ScrapeOptions, problem: BrowserProblem): Failure {
  const { because, advice, retryAfterSeconds } = problems[problem]
  const names = optionsNeedingBrowser(options).join(', ')
  return new Failure(
    'BROWSER_UNAVAILABLE',
    `This task needs a browser (${names})${because} Plain HTTP scraping works. ${advice}`,
    { retryAfterSeconds },
  )
}
