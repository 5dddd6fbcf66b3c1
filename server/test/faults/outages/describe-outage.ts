import type { LedgerAnswer } from '../ledger/ledger-load.ts'
import type { LedgerArrival } from '../ledger/ledger-peers.ts'

export interface OutageTimes {
  name: string
  isTotal: boolean
  begunAtMs: number
  /** From here on nothing can be written, if it is total. */
  inForceAtMs: number
  /** From here on the store may answer again. */
  endedAtMs: number
  /** From here on it does. */
  readyAtMs: number
  readyzStatus: number
}

/** What callers saw of one outage. */
export interface OutageFindings {
  name: string
  isTotal: boolean
  readyzStatus: number
  /** Asked for and accepted while nothing could be written. */
  acceptedMeanwhile: number
  /** How long each of the 503 took, those that waited already from the outage on. */
  unavailableMs: number[]
  /** Neither accepted nor a 503 that says when to ask again. */
  otherAnswers: string[]
  acceptedAfterMs: number
  deliveredAfterMs: number
}

export function describeOutage(
  times: OutageTimes,
  answers: readonly LedgerAnswer[],
  arrivals: readonly LedgerArrival[],
): OutageFindings {
  const { name, isTotal, readyzStatus, begunAtMs, inForceAtMs, endedAtMs, readyAtMs } = times
  const seen = answers.filter((one) => one.endedAtMs > begunAtMs && one.startedAtMs < readyAtMs)
  const isUnavailable = ({ status, retryAfter }: LedgerAnswer) =>
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
