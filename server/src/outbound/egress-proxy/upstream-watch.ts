import type { Socket } from 'node:net'
import { OutboundError } from '../outbound-error.ts'
import type { Target } from './request-target.ts'

/** Whether an exit's proxy is still there, as far as its connections tell. */
export interface UpstreamWatch {
  onOpened(): void
  /** A connection could not be opened. */
  onFailed(error: unknown, target: Target): void
  /** Something ended from the proxy's side, which may be its target's doing. */
  doubt(target: Target): void
  /** It could not be used when it was last dialled, which may have been too often for it. */
  readonly isLost: boolean
  /** Whether it is not there when it is dialled once more, if there is doubt; false where that was given up. */
  isGone(signal: AbortSignal): Promise<boolean>
}

/** `dial` opens a connection that ends at the proxy, for a target that was reachable. */
export function watchUpstream(
  dial: (target: Target, signal: AbortSignal) => Promise<Socket>,
): UpstreamWatch {
  let isLost = false
  let doubted: Target | undefined

  return {
    onOpened() {
      isLost = false
      doubted = undefined
    },
    onFailed(error, target) {
      if (!(error instanceof OutboundError)) return
      if (error.problem === 'proxy_unusable') isLost = true
      // Else it may speak for its target, and be silent because that is.
      if (isLost || error.problem === 'proxy') doubted = target
    },
    doubt(target) {
      doubted = target
    },
    get isLost() {
      return isLost
    },
    async isGone(signal) {
      if (!doubted) return false
      try {
        const socket = await dial(doubted, signal)
        socket.destroy()
        return false
      } catch (error) {
        return error instanceof OutboundError && error.problem === 'proxy_unusable'
      }
    },
  }
}
