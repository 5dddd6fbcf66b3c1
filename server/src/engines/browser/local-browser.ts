import type { BrowserFacts } from '../../domain/service/health.ts'
import { waitAtMost } from '../../runtime/deadline.ts'
import type { Log } from '../../runtime/log.ts'
import type { BrowserPresence } from '../install/browser-presence.ts'
import type { PresentBrowser } from '../install/ensure-browser.ts'
import type { BrowserEngine } from './browser-engine.ts'
import { type BrowserTrial, createBrowserTrial } from './browser-trial.ts'

type CreateBrowserEngine = (browser: PresentBrowser) => BrowserEngine

/** The browser of this process, which may still be on its way, and the engine that uses it. */
export interface LocalBrowser extends AsyncDisposable {
  /** Waits for the search of the machine, and for another try where it would not start. */
  isReady(): Promise<boolean>
  /** Whether it has just failed to start again: whoever can wait, or go elsewhere, should. */
  isResting(): boolean
  facts(): BrowserFacts
  /** Has a page opened, unless that was done a moment ago; nobody waits for it for long. */
  tryOut(): Promise<void>
  /** Calls back once there is a browser, if ever. */
  whenReady(begin: (engine: BrowserEngine) => void): void
}

const searchedWithinMs = 5_000
const restedAfterMs = 30_000
/** Once may be by chance, as when it is killed while it starts. */
const brokenAfterStarts = 2

export function startLocalBrowser({
  presence,
  createEngine,
  log,
}: {
  presence: BrowserPresence
  createEngine: CreateBrowserEngine
  log: Log
}): LocalBrowser {
  let used: { engine: BrowserEngine; trial: BrowserTrial } | undefined
  let isSearched = false
  let isOver = false
  const searched = presence.whenSearched.then(() => {
    isSearched = true
  })
  const failedStarts = () => used?.engine.failedStarts() ?? { inARow: 0, lastAtMs: 0 }
  const isBroken = () => failedStarts().inARow >= brokenAfterStarts
  const state = () => {
    const { state: found } = presence.state()
    return found === 'ready' && isBroken() ? 'broken' : found
  }

  return {
    async isReady() {
      // A service that has just started must not send callers away for what it is about to find.
      if (!isSearched) await waitAtMost(searched, searchedWithinMs)
      if (failedStarts().inARow > 0) await used?.trial.ask()
      return state() === 'ready'
    },
    isResting: () => isBroken() && performance.now() - failedStarts().lastAtMs < restedAfterMs,
    facts() {
      const { version, flavor } = presence.state()
      return {
        state: state(),
        isElsewhere: false,
        version: version ?? null,
        flavor: flavor ?? null,
        sandbox: used?.engine.sandbox() ?? null,
        opensPages: used?.trial.isPassed ?? null,
      }
    },
    async tryOut() {
      // A browser that was stopped must not be started again by a probe of the stopping process.
      if (!isOver) await used?.trial.ask()
    },
    whenReady(begin) {
      presence.whenSettled
        .then((present) => {
          if (present.state === 'ready' && !isOver) begin(use(createEngine(present)))
        })
        .catch((error) => log.error({ err: error }, 'The browser cannot be used.'))
    },
    async [Symbol.asyncDispose]() {
      isOver = true
      await used?.engine[Symbol.asyncDispose]()
    },
  }

  function use(engine: BrowserEngine): BrowserEngine {
    const open = (signal: AbortSignal) => engine.probe(signal)
    used = { engine, trial: createBrowserTrial({ log, open }) }
    return engine
  }
}
