import type { Socket } from 'node:net'
import { OutboundError } from '../outbound-error.ts'
import type { Target } from './request-target.ts'

/**
 * Tracks from connections whether the upstream proxy of an egress proxy is still up. `dial` opens a
 * connection to the proxy only, on behalf of a target that was reachable.
 */
export function watchUpstream(dial: (target: Target, signal: AbortSignal) => Promise<Socket>) {
  let wasUnusable = false
  let suspect: Target | undefined

  return {
    onOpened(): void {
      wasUnusable = false
      suspect = undefined
    },
    /** A connection could not be opened. */
    onFailed(error: unknown, target: Target): void {
      if (!(error instanceof OutboundError)) return
      if (error.problem === 'proxy_unusable') wasUnusable = true
      // Any other failure may be the target's, which the proxy only passes on.
      if (wasUnusable || error.problem === 'proxy') suspect = target
    },
    /** Reports that a connection was closed by the proxy, perhaps because its target closed it. */
    markSuspect(target: Target): void {
      suspect = target
    },
    /** Whether the last dial failed at the proxy itself, perhaps because it limits connections. */
    get wasUnusable(): boolean {
      return wasUnusable
    },
    /** Dials the proxy again if it is suspect, and returns whether it is down; false if aborted. */
    async isDown(signal: AbortSignal): Promise<boolean> {
      if (!suspect) return false
      try {
        const socket = await dial(suspect, signal)
        socket.destroy()
        return false
      } catch (error) {
        return error instanceof OutboundError && error.problem === 'proxy_unusable'
      }
    },
  }
}
