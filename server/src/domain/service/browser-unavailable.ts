import { Failure } from '../failure.ts'
import type { ScrapeOptions } from '../scrape/scrape-options.ts'
import { optionsNeedingBrowser } from '../scrape/scrape-request.ts'
import type { BrowserState } from './health.ts'

/** Why there is no browser for a task: on the worker that was asked, or among those elsewhere. */
export type BrowserLack = Exclude<BrowserState, 'ready'> | 'no worker'

const lacks: Record<BrowserLack, { because: string; advice: string; retryAfterSeconds: number }> = {
  absent: {
    because: ' but no Chromium was found.',
    advice:
      'Fix: run "npx trawl browser install", or on Debian "sudo apt install chromium-headless-shell", or set TRAWL_BROWSER_PATH.',
    retryAfterSeconds: 60,
  },
  installing: {
    because: ', and Chromium is still being installed.',
    advice: 'Ask again in a moment.',
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
}

/** Told before a task is accepted, not after it has waited for what may never come. */
export function browserUnavailable(options: ScrapeOptions, lack: BrowserLack): Failure {
  const { because, advice, retryAfterSeconds } = lacks[lack]
  const names = optionsNeedingBrowser(options).join(', ')
  return new Failure(
    'BROWSER_UNAVAILABLE',
    `This task needs a browser (${names})${because} Plain HTTP scraping works. ${advice}`,
    { retryAfterSeconds },
  )
}
