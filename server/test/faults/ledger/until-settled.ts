import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../../support/until.ts'
import type { LedgerEntry } from './ledger-load.ts'
import type { LedgerPeers } from './ledger-peers.ts'

/** Waits for every accepted task to arrive, then until nothing is left that could be told again. */
export async function untilSettled(
  entries: readonly LedgerEntry[],
  { arrivals, taken }: Pick<LedgerPeers, 'arrivals' | 'taken'>,
  isAtRest?: () => Promise<boolean>,
): Promise<{ drainMs: number }> {
  const startedAtMs = performance.now()
  const areAllTaken = () => entries.every(({ requestId = '' }) => taken.has(requestId))
  await until(areAllTaken, { withinMs: 120_000 }).catch(() => undefined)
  const drainMs = performance.now() - startedAtMs
  // What was told twice may still be waiting for a receiver that hangs.
  if (isAtRest) await until(isAtRest)
  else await untilQuiet(() => arrivals.length)
  return { drainMs }
}

/** A duplicate would arrive within a lease; anything later was not caused by a fault. */
async function untilQuiet(count: () => number): Promise<void> {
  for (let before = -1; before !== count(); ) {
    before = count()
    await pause(3_000)
  }
}
