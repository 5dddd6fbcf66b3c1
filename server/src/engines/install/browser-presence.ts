/**
 * Finds Chromium on this machine or installs it. The folders of `engines/` fetch pages: they know
 * targets, browsers and machines, never tasks or callers.
 */
import type { Log } from '../../runtime/log.ts'
import { type EnsureBrowserOptions, ensureBrowser, type PresentBrowser } from './ensure-browser.ts'
import { requireExecutable } from './find-browser.ts'

export interface BrowserPresence extends AsyncDisposable {
  state(): PresentBrowser
  /** Resolves when this machine has been searched; an installation may have begun. */
  readonly whenSearched: Promise<PresentBrowser>
  /** Resolves with the final state. With `isFatal` the service must stop. */
  readonly whenSettled: Promise<PresentBrowser>
}

/**
 * Finds or installs a browser in the background, so that start-up does not wait for it.
 * Throws at once when the settings name a file that is not executable.
 */
export function startBrowserPresence({
  log,
  ...options
}: Omit<EnsureBrowserOptions, 'isWaitedFor'> & { log: Log }): BrowserPresence {
  requireExecutable(options.settings)
  let present: PresentBrowser = { state: 'absent', reason: 'The search for Chromium is running.' }
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
    // An installation runs on by design: it is a process of its own. Nothing else needs closing.
    [Symbol.asyncDispose]: async () => {},
  }
}

/** For a process that runs no tasks: it neither searches for a browser nor installs one. */
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
