import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ScrapeOptions } from '../scrape/scrape-options.ts'
import { type BrowserProblem, browserUnavailable } from './browser-unavailable.ts'

const texts: [BrowserProblem, options: object, text: string][] = [
  [
    'absent',
    { js_render: true },
    'This task needs a browser (js_render) but no Chromium was found. Plain HTTP scraping works. Fix: run "npx trawl browser install", or on Debian "sudo apt install chromium-headless-shell", or set TRAWL_BROWSER_PATH.',
  ],
  [
    'installing',
    { screenshot: { use: true }, viewport: { width: 800 } },
    'This task needs a browser (screenshot, viewport), and Chromium is still being installed. Plain HTTP scraping works. Retry in a moment.',
  ],
  [
    'no worker',
    { waitForSelector: '#a' },
    'This task needs a browser (waitForSelector) but no worker that has one is running. Plain HTTP scraping works. Fix: start a worker on a machine with Chromium.',
  ],
]

for (const [reason, options, text] of texts) {
  test(`with the browser "${reason}" the failure names the options that need it and the fix`, () => {
    const failure = browserUnavailable(ScrapeOptions.parse(options), reason)

    assert.equal(failure.code, 'BROWSER_UNAVAILABLE')
    assert.equal(failure.message, text)
    assert.ok((failure.retryAfterSeconds ?? 0) > 0)
  })
}
