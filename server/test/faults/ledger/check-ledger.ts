import type { Database } from '../../../src/storage/database.ts'
import { sql } from '../../../src/storage/statement.ts'
import type { LedgerEntry } from './ledger-load.ts'
import type { LedgerArrival } from './ledger-peers.ts'

/** The result of comparing callers' and receivers' records. Each list should be empty. */
export interface LedgerFindings {
  lost: string[]
  unexpected: string[]
  faulty: string[]
  /** Received again after a 2xx although no process died or lost the store in between, or the 2xx was recorded. */
  unexplained: string[]
  /** Received under more than one message id. */
  renamed: string[]
  /** Received again after a 2xx because a fault prevented the commit. */
  explainedCount: number
  /** Tasks that ended as failed, although the origin answers every request. */
  failed: string[]
}

// The receiver may read a request of a dead process only after the death was recorded.
const readLateMsMax = 2_000

export interface FaultTimes {
  deathsAtMs: readonly number[]
  /** When a process stopped working because the store did not respond. */
  outagesAtMs: readonly number[]
}

/** `db` is the store once nothing is left to be sent. */
export async function checkLedger(
  db: Database,
  entries: readonly LedgerEntry[],
  arrivals: readonly LedgerArrival[],
  { deathsAtMs, outagesAtMs }: FaultTimes,
): Promise<LedgerFindings> {
  const attempted = new Set(entries.map(({ nonce }) => nonce))
  const byTask = Map.groupBy(arrivals, ({ requestId }) => requestId)
  const repeats = [...byTask.values()].flatMap(listRepeats)
  const mishapsAtMs = [...deathsAtMs, ...outagesAtMs]
  const isExplained = ({ taken, again }: Repeat) =>
    mishapsAtMs.some((atMs) => atMs > taken.atMs - readLateMsMax && atMs < again.atMs)
  return {
    lost: entries
      .filter(({ requestId = '' }) => !byTask.get(requestId)?.some(isAcknowledged))
      .map(({ nonce }) => nonce),
    unexpected: arrivals.filter(({ nonce }) => !attempted.has(nonce)).map(({ nonce }) => nonce),
    faulty: arrivals.flatMap(({ nonce, fault }) => (fault ? [`${nonce}: ${fault}`] : [])),
    unexplained: [
      ...repeats
        .filter((one) => !isExplained(one))
        .map(({ taken, again }) => `${taken.nonce} at ${taken.atMs} and ${again.atMs}`),
      ...(await listSentAfterSuccess(db)),
    ],
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

/** What was sent again although the store knew that it had been acknowledged. */
async function listSentAfterSuccess(db: Database): Promise<string[]> {
  const rows = await db.run(sql<{ deliveryId: string }>`
    select delivery_id as "deliveryId" from delivery_attempts
    where status_code between 200 and 299 and error is null
    group by delivery_id having count(*) > 1`)
  return rows.map(({ deliveryId }) => `delivery ${deliveryId}: two successes are recorded`)
}
