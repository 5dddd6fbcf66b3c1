import type { LedgerEntry } from './ledger-load.ts'
import type { Arrival } from './ledger-peers.ts'

/** What the books say when everything has come to rest. Each list should be empty. */
export interface LedgerFindings {
  lost: string[]
  unexpected: string[]
  faulty: string[]
  /** Received again after a 2xx although nobody died around that time. */
  unexplained: string[]
  /** Told under more than one id. */
  renamed: string[]
  /** Received again after a 2xx because the process died before it was written down. */
  explainedCount: number
  failedCount: number
}

// How long before its death a process may have had an answer that it could not write down any more.
const unwrittenMsMax = 2_000

export function checkLedger(
  entries: readonly LedgerEntry[],
  arrivals: readonly Arrival[],
  deathsAtMs: readonly number[],
): LedgerFindings {
  const attempted = new Set(entries.map(({ nonce }) => nonce))
  const byTask = Map.groupBy(arrivals, ({ requestId }) => requestId)
  const repeats = [...byTask.values()].flatMap(listRepeats)
  const isExplained = ({ first, again }: Repeat) =>
    deathsAtMs.some((diedAtMs) => diedAtMs > first.atMs && diedAtMs < again.atMs) &&
    deathsAtMs.some((diedAtMs) => Math.abs(diedAtMs - first.atMs) < unwrittenMsMax)
  return {
    lost: entries
      .filter(({ requestId = '' }) => !byTask.get(requestId)?.some(isTaken))
      .map(({ nonce }) => nonce),
    unexpected: arrivals.filter(({ nonce }) => !attempted.has(nonce)).map(({ nonce }) => nonce),
    faulty: arrivals.flatMap(({ nonce, fault }) => (fault ? [`${nonce}: ${fault}`] : [])),
    unexplained: repeats
      .filter((one) => !isExplained(one))
      .map(({ first, again }) => `${first.nonce} at ${first.atMs} and ${again.atMs}`),
    renamed: [...byTask]
      .filter(([, told]) => new Set(told.map(({ webhookId }) => webhookId)).size > 1)
      .map(([requestId]) => requestId),
    explainedCount: repeats.filter(isExplained).length,
    failedCount: arrivals.filter((one) => one.status === 'failed' && isTaken(one)).length,
  }
}

interface Repeat {
  first: Arrival
  again: Arrival
}

const isTaken = ({ answer }: Arrival): boolean => answer === 200

/** Whatever came after the first that was answered with success. */
function listRepeats(told: Arrival[]): Repeat[] {
  const taken = told.findIndex(isTaken)
  const first = told[taken]
  return first ? told.slice(taken + 1).map((again) => ({ first, again })) : []
}
