import type { DeadlineOptions } from '../runtime/deadline.ts'
import { outboundError } from './outbound-error.ts'

/** A deadline that rejects with an `OutboundError`: `timeout`, or `aborted` if the signal fired. */
export function outboundDeadline(limits: {
  signal: AbortSignal
  deadlineMs: number
}): DeadlineOptions {
  let lateError: Error | undefined
  return {
    ms: limits.deadlineMs,
    signal: limits.signal,
    late: () => {
      lateError = outboundError('timeout')
      return lateError
    },
    explain: (reason) => (reason === lateError ? reason : outboundError('aborted', reason)),
  }
}
