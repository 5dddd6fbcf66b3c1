import type { BrowserFacts } from '../../domain/service/health.ts'
import { waitAtMost, withDeadline } from '../../runtime/deadline.ts'
import type { Log } from '../../runtime/log.ts'
import type { BrowserPresence } from '../install/browser-presence.ts'
import type { PresentBrowser } from '../install/ensure-browser.ts'
import type { BrowserEngine } from './browser-engine.ts'

export type LocalBrowser = ReturnType<typeof startLocalBrowser>

const searchedWithinMs = 5_000
const backoffMs = 30_000
/** A single failed start may be random, such as a browser killed while it starts. */
const brokenAfterStarts = 2

/** The browser of this process, which may still be downloading, and the engine that uses it. */
export function startLocalBrowser(parts: {
  presence: BrowserPresence
  createEngine: (browser: PresentBrowser) => BrowserEngine
  log: Log
}) {
  const { presence, createEngine, log } = parts
  let used: { engine: BrowserEngine; healthCheck: BrowserHealthCheck } | undefined
  let isSearched = false
  let isDisposed = false
  const searched = presence.whenSearched.then(() => {
    isSearched = true
  })
  const failedStarts = () => used?.engine.failedStarts() ?? { consecutive: 0, lastAtMs: 0 }
  const isBroken = () => failedStarts().consecutive >= brokenAfterStarts
  const state = () => {
    const { state: found } = presence.state()
    return found === 'ready' && isBroken() ? 'broken' : found
  }

  return {
    /** Waits for the search for a browser, and for another start if the last one failed. */
    async isReady(): Promise<boolean> {
      // A service that has just started must not reject callers before it has looked for a browser.
      if (!isSearched) await waitAtMost(searched, searchedWithinMs)
      if (failedStarts().consecutive > 0) await used?.healthCheck.run()
      return state() === 'ready'
    },
    /** Backoff after repeated failed starts: this process should take no browser tasks meanwhile. */
    isBackingOff: (): boolean =>
      isBroken() && performance.now() - failedStarts().lastAtMs < backoffMs,
    facts(): BrowserFacts {
      const { version, flavor } = presence.state()
      return {
        state: state(),
        isElsewhere: false,
        version: version ?? null,
        flavor: flavor ?? null,
        sandbox: used?.engine.sandbox() ?? null,
        opensPages: used?.healthCheck.isHealthy ?? null,
      }
    },
    /** Probes the browser, unless that was done recently. */
    async checkHealth(): Promise<void> {
      // During graceful shutdown a probe must not start the browser again.
      if (!isDisposed) await used?.healthCheck.run()
    },
    /** Calls back once a browser is installed; never if the installation fails. */
    whenReady(begin: (engine: BrowserEngine) => void): void {
      presence.whenSettled
        .then((present) => {
          if (present.state === 'ready' && !isDisposed) begin(use(createEngine(present)))
        })
        .catch((error) => log.error({ err: error }, 'The browser engine could not be created.'))
    },
    async [Symbol.asyncDispose](): Promise<void> {
      isDisposed = true
      await used?.engine[Symbol.asyncDispose]()
    },
  }

  function use(engine: BrowserEngine): BrowserEngine {
    const probe = (signal: AbortSignal) => engine.probe(signal)
    used = { engine, healthCheck: createBrowserHealthCheck({ log, probe }) }
    return engine
  }
}

type BrowserHealthCheck = ReturnType<typeof createBrowserHealthCheck>

interface HealthCheckOptions {
  log: Log
  /** Opens a page; throws when that fails or the signal is aborted. */
  probe(signal: AbortSignal): Promise<void>
  freshMs?: number
  waitMs?: number
  probeMsMax?: number
}

/**
 * Finds out whether the browser really opens pages. It probes on request and caches the result.
 * Callers need no credentials, so concurrent calls share one probe and later ones its result.
 */
export function createBrowserHealthCheck(options: HealthCheckOptions) {
  const { log, probe, freshMs = 30_000, waitMs = 5_000, probeMsMax = 30_000 } = options
  let isHealthy: boolean | null = null
  let probedAtMs = Number.NEGATIVE_INFINITY
  let probing: Promise<void> | undefined

  return {
    /** The result of the last probe; null before the first. */
    get isHealthy(): boolean | null {
      return isHealthy
    },
    /** Resolves when the cached result is fresh, or after `waitMs`; a longer probe goes on. */
    async run(): Promise<void> {
      if (probing === undefined && performance.now() - probedAtMs >= freshMs) {
        probing = probeOnce().finally(() => {
          probing = undefined
          probedAtMs = performance.now()
        })
      }
      if (probing !== undefined) await waitAtMost(probing, waitMs)
    },
  }

  async function probeOnce(): Promise<void> {
    try {
      await withDeadline(probe, { ms: probeMsMax })
      isHealthy = true
    } catch (error) {
      isHealthy = false
      log.warn({ err: error }, 'The health check failed: the browser did not open a page.')
    }
  }
}
