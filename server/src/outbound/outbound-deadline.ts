import type { DeadlineOptions } from '../runtime/deadline.ts'
import { type OutboundProblem, outboundError } from './outbound-error.ts'

/** A deadline that rejects with an `OutboundError`: this problem, or `aborted` if the signal fired. */
export function outboundDeadline(
  limits: { signal: AbortSignal; deadlineMs: number },
  problem: OutboundProblem = 'timeout',
): DeadlineOptions {
  let lateError: Error | undefined
  return {
    ms: limits.deadlineMs,
    signal: limits.signal,
    late: () => {
      lateError = outboundError(problem)
      return lateError
    },
    explain: (reason) => (reason === lateError ? reason : outboundError('aborted', reason)),
  }
}
