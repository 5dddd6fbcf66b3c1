import type { LedgerEntry } from './ledger-load.ts'
import type { LedgerArrival } from './ledger-peers.ts'

/** The result of comparing callers' and receivers' records. Each list should be empty. */
export interface LedgerFindings {
  lost: string[]
  unexpected: string[]
  faulty: string[]
  /** Received again after a 2xx although no process died or lost the store around that time. */
  unexplained: string[]
  /** Received under more than one message id. */
  renamed: string[]
  /** Received again after a 2xx because a fault prevented the commit. */
  explainedCount: number
  /** Tasks that ended as failed, although the origin answers every request. */
  failed: string[]
}

// How long before its death a process may have had a response that was not committed yet: as long
// as one store call may take.
const unwrittenMsMax = 5_000
// The receiver may read a request of a dead process only after the death was recorded.
const readLateMsMax = 2_000

export interface FaultTimes {
  deathsAtMs: readonly number[]
  /** When a process stopped working because the store did not respond. */
  outagesAtMs: readonly number[]
}

export function checkLedger(
  entries: readonly LedgerEntry[],
  arrivals: readonly LedgerArrival[],
  { deathsAtMs, outagesAtMs }: FaultTimes,
): LedgerFindings {
  const attempted = new Set(entries.map(({ nonce }) => nonce))
  const byTask = Map.groupBy(arrivals, ({ requestId }) => requestId)
  const repeats = [...byTask.values()].flatMap(listRepeats)
  const mishapsAtMs = [...deathsAtMs, ...outagesAtMs]
  const isExplained = ({ taken, again }: Repeat) =>
    mishapsAtMs.some(
      (atMs) =>
        atMs > taken.atMs - readLateMsMax &&
        atMs < Math.min(taken.atMs + unwrittenMsMax, again.atMs),
    )
  return {
    lost: entries
      .filter(({ requestId = '' }) => !byTask.get(requestId)?.some(isAcknowledged))
      .map(({ nonce }) => nonce),
    unexpected: arrivals.filter(({ nonce }) => !attempted.has(nonce)).map(({ nonce }) => nonce),
    faulty: arrivals.flatMap(({ nonce, fault }) => (fault ? [`${nonce}: ${fault}`] : [])),
    unexplained: repeats
      .filter((one) => !isExplained(one))
      .map(({ taken, again }) => `${taken.nonce} at ${taken.atMs} and ${again.atMs}`),
    renamed: [...byTask]
      .filter(([, arrivals]) => new Set(arrivals.map(({ webhookId }) => webhookId)).size > 1)
      .map(([requestId]) => requestId),
    explainedCount: repeats.filter(isExplained).length,
    failed: [
      ...new Set(arrivals.flatMap(({ nonce, error }) => (error ? [`${nonce}: ${error}`] : []))),
    ],
  }
}

interface Repeat {
  taken: LedgerArrival
  again: LedgerArrival
}

const isAcknowledged = ({ answer }: LedgerArrival): boolean => answer === 200

/** Whatever came next after one that was answered with success. */
const listRepeats = (told: LedgerArrival[]): Repeat[] =>
  told.flatMap((taken, index) => {
    const again = told[index + 1]
    return again && isAcknowledged(taken) ? [{ taken, again }] : []
  })
