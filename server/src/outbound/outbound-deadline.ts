import type { DeadlineOptions } from '../runtime/deadline.ts'
import { outboundError } from './outbound-error.ts'

/** A deadline that ends as an `OutboundError`: `timeout`, or `aborted` where the signal has fired. */
export function outboundDeadline({
  signal,
  deadlineMs,
}: {
  signal: AbortSignal
  deadlineMs: number
}): DeadlineOptions {
  let lateError: Error | undefined
  return {
    ms: deadlineMs,
    signal,
    late: () => {
      lateError = outboundError('timeout')
      return lateError
    },
    explain: (reason) => (reason === lateError ? reason : outboundError('aborted', reason)),
  }
}
