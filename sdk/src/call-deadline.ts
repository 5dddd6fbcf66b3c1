import { ConnectionError, TimeoutError, TrawlError } from './trawl-error.ts'

// A timer of the platform cannot wait longer.
const timerMsMax = 2 ** 31 - 1

/** Ends a call when its time is over or its caller's signal says so, whichever is first. */
export function startDeadline(timeoutMs: number, signal: AbortSignal | undefined) {
  signal?.throwIfAborted()
  const expiry = new AbortController()
  const endMs = performance.now() + timeoutMs
  const timer = setTimeout(() => expiry.abort(), Math.min(timeoutMs, timerMsMax))
  return {
    signal: signal ? AbortSignal.any([signal, expiry.signal]) : expiry.signal,
    leftMs: () => endMs - performance.now(),
    /** From now on only the caller's signal ends it. */
    clear: () => clearTimeout(timer),
    /** The error to throw for what was caught. */
    explain(caught: unknown) {
      if (signal?.aborted) return signal.reason
      if (expiry.signal.aborted) {
        const message = `There was no response within ${timeoutMs} ms.`
        return new TimeoutError(message, { code: 'CLIENT_TIMEOUT', retryable: true })
      }
      if (caught instanceof TrawlError) return caught
      return connectionErrorOf(caught)
    },
  }
}

/** `fetch` reports a failed connection as a TypeError whose cause says more. */
export function connectionErrorOf(cause: unknown): ConnectionError {
  const { message = '', cause: inner } = cause instanceof Error ? cause : new Error(String(cause))
  const more = inner instanceof Error && inner.message ? ` (${inner.message})` : ''
  return new ConnectionError(`The connection failed: ${message}${more}`, {
    code: 'CONNECTION_FAILED',
    retryable: true,
    cause,
  })
}

/** Waits, unless the signal aborts first. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
