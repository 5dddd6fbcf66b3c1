/**
 * Ways to fetch a page: an HTTP client, and Chromium, which is found on this machine or installed and
 * kept running. This folder knows targets, browsers and machines, never tasks or callers.
 */
import type { Log } from '../../runtime/log.ts'
import type { BrowserSettings } from './browser-candidates.ts'
import { ensureBrowser, type PresentBrowser } from './ensure-browser.ts'
import { requireExecutable } from './find-browser.ts'

export interface BrowserPresence extends AsyncDisposable {
  state(): PresentBrowser
  /** Once this machine has been searched; an installation may have begun. */
  readonly whenSearched: Promise<PresentBrowser>
  /** Once nothing more will change. With `isFatal` the service should not go on. */
  readonly whenSettled: Promise<PresentBrowser>
}

/**
 * Finds a browser, or has one installed, beside a start-up that waits for neither.
 * Throws at once when the settings name a file that is no program.
 */
export function startBrowserPresence({
  log,
  ...options
}: {
  settings: BrowserSettings
  dataDir: string
  log: Log
  pathFolders?: readonly string[]
  proxyVariables?: Record<string, string>
}): BrowserPresence {
  requireExecutable(options.settings)
  let present: PresentBrowser = { state: 'absent', reason: 'The machine is being searched.' }
  const searched = Promise.withResolvers<PresentBrowser>()

  const whenSettled = ensureBrowser({ ...options, isWaitedFor: false }, (next) => {
    present = next
    searched.resolve(next)
    logPresence(log, next)
  })
  return {
    state: () => present,
    whenSearched: searched.promise,
    whenSettled,
    // An installation goes on without us, on purpose; there is nothing else to end.
    [Symbol.asyncDispose]: async () => {},
  }
}

/** For a process that runs no tasks, and so neither looks for a browser nor has one installed. */
export function withoutBrowser(): BrowserPresence {
  const absent: PresentBrowser = { state: 'absent', reason: 'This process runs no tasks.' }
  return {
    state: () => absent,
    whenSearched: Promise.resolve(absent),
    whenSettled: Promise.resolve(absent),
    [Symbol.asyncDispose]: async () => {},
  }
}

function logPresence(log: Log, { state, path, version, reason }: PresentBrowser): void {
  if (state === 'ready') log.info({ path, version }, 'browser ready')
  else if (state === 'installing') log.info(`${reason}; until then browser tasks get 503`)
  else log.warn(`${reason} Plain HTTP scraping works.`)
}
