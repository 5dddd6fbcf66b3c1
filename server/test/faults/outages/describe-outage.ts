import type { LedgerResponse } from '../ledger/ledger-load.ts'
import type { LedgerArrival } from '../ledger/ledger-peers.ts'

export interface OutageTimes {
  name: string
  isTotal: boolean
  begunAtMs: number
  /** From now on nothing can be written, if the outage is total. */
  inForceAtMs: number
  /** From now on the store may respond again. */
  endedAtMs: number
  /** From now on the store does respond. */
  readyAtMs: number
  readyzStatus: number
}

/** What callers saw of one outage. */
export interface OutageFindings {
  name: string
  isTotal: boolean
  readyzStatus: number
  /** Submitted and accepted while nothing could be written. */
  acceptedMeanwhile: number
  /** The time of each 503; for requests sent before the outage, since its start. */
  unavailableMs: number[]
  /** Responses that were neither accepted nor a 503 with Retry-After. */
  otherAnswers: string[]
  acceptedAfterMs: number
  deliveredAfterMs: number
}

export function describeOutage(
  times: OutageTimes,
  answers: readonly LedgerResponse[],
  arrivals: readonly LedgerArrival[],
): OutageFindings {
  const { name, isTotal, readyzStatus, begunAtMs, inForceAtMs, endedAtMs, readyAtMs } = times
  const seen = answers.filter((one) => one.endedAtMs > begunAtMs && one.startedAtMs < readyAtMs)
  const isUnavailable = ({ status, retryAfter }: LedgerResponse) =>
    status === 503 && retryAfter !== null
  const afterReadyMs = (atMs: readonly number[]) =>
    Math.min(...atMs.filter((one) => one > readyAtMs)) - readyAtMs
  return {
    name,
    isTotal,
    readyzStatus,
    acceptedMeanwhile: seen.filter(
      (one) => one.status === 202 && one.startedAtMs >= inForceAtMs && one.endedAtMs <= endedAtMs,
    ).length,
    unavailableMs: seen
      .filter(isUnavailable)
      .map((one) => one.endedAtMs - Math.max(one.startedAtMs, begunAtMs)),
    otherAnswers: seen
      .filter((one) => one.status !== 202 && !isUnavailable(one))
      .map(({ status }) => (status === undefined ? 'none' : String(status))),
    acceptedAfterMs: afterReadyMs(
      answers.filter(({ status }) => status === 202).map((one) => one.endedAtMs),
    ),
    deliveredAfterMs: afterReadyMs(arrivals.map(({ atMs }) => atMs)),
  }
}
