import type { LedgerEntry } from './ledger-load.ts'
import type { LedgerArrival } from './ledger-peers.ts'

/** What the books say when everything has come to rest. Each list should be empty. */
export interface LedgerFindings {
  lost: string[]
  unexpected: string[]
  faulty: string[]
  /** Received again after a 2xx although nobody died or lost the store around that time. */
  unexplained: string[]
  /** Told under more than one id. */
  renamed: string[]
  /** Received again after a 2xx because it could not be written down. */
  explainedCount: number
  failedCount: number
}

// How long before its death a process may have had an answer that was not written down yet: as long
// as one call of the store may take.
const unwrittenMsMax = 5_000
// What a process sent before it died may be read only after its death was noticed.
const readLateMsMax = 2_000

export interface Mishaps {
  deathsAtMs: readonly number[]
  /** When a process ended its work because the store did not answer. */
  outagesAtMs: readonly number[]
}

export function checkLedger(
  entries: readonly LedgerEntry[],
  arrivals: readonly LedgerArrival[],
  { deathsAtMs, outagesAtMs }: Mishaps,
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
      .filter(({ requestId = '' }) => !byTask.get(requestId)?.some(isTaken))
      .map(({ nonce }) => nonce),
    unexpected: arrivals.filter(({ nonce }) => !attempted.has(nonce)).map(({ nonce }) => nonce),
    faulty: arrivals.flatMap(({ nonce, fault }) => (fault ? [`${nonce}: ${fault}`] : [])),
    unexplained: repeats
      .filter((one) => !isExplained(one))
      .map(({ taken, again }) => `${taken.nonce} at ${taken.atMs} and ${again.atMs}`),
    renamed: [...byTask]
      .filter(([, told]) => new Set(told.map(({ webhookId }) => webhookId)).size > 1)
      .map(([requestId]) => requestId),
    explainedCount: repeats.filter(isExplained).length,
    failedCount: arrivals.filter((one) => one.status === 'failed' && isTaken(one)).length,
  }
}

interface Repeat {
  taken: LedgerArrival
  again: LedgerArrival
}

const isTaken = ({ answer }: LedgerArrival): boolean => answer === 200

/** Whatever came next after one that was answered with success. */
const listRepeats = (told: LedgerArrival[]): Repeat[] =>
  told.flatMap((taken, index) => {
    const again = told[index + 1]
    return again && isTaken(taken) ? [{ taken, again }] : []
  })
