import { waitAtMost, withDeadline } from '../../runtime/deadline.ts'
import type { Log } from '../../runtime/log.ts'

export type BrowserHealthCheck = ReturnType<typeof createBrowserHealthCheck>

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
