import { chooseEvictions } from '../../domain/task/choose-evictions.ts'
import type { Log } from '../../runtime/log.ts'
import type { Database } from '../../storage/database.ts'
import { isStoreUnavailable } from '../../storage/outages/store-unavailable.ts'
import { listAccounts } from '../../storage/tables/accounts.ts'
import {
  deleteBlobsWithoutResult,
  deleteUnheldResult,
  listOldestResults,
  type ResultPlace,
  sumResultBytes,
} from '../../storage/tables/results.ts'

/** Keeps the stored results of each account within a limit (quota) by evicting the oldest. */
export interface AccountStorage extends AsyncDisposable {
  /** Whether an account is over its limit although everything evictable has been evicted. */
  isFull(accountId: string): boolean
}

interface AccountStorageParts {
  db: Database
  log: Log
  /** Undefined: no limit, and nothing is measured. */
  bytesMax: number | undefined
  sweepIntervalMs: number
}

// Bounds the size of one statement, so that it does not block the store for others.
const listedAtOnceMax = 500

export function startAccountStorage(parts: AccountStorageParts): AccountStorage {
  const { db, log, bytesMax, sweepIntervalMs } = parts
  let full: ReadonlySet<string> = new Set()
  let isStopped = false
  let sweeping: Promise<void> | undefined
  const timer =
    bytesMax === undefined ? undefined : setInterval(() => sweep(bytesMax), sweepIntervalMs)
  timer?.unref()
  if (bytesMax !== undefined) sweep(bytesMax)

  return {
    isFull: (accountId) => full.has(accountId),
    async [Symbol.asyncDispose]() {
      isStopped = true
      clearInterval(timer)
      await sweeping
    },
  }

  function sweep(limit: number): void {
    sweeping ??= sweepAll(limit)
      .catch((error) => {
        const level = isStoreUnavailable(error) ? 'warn' : 'error'
        log[level]({ err: error }, 'Failed to enforce storage limits; retrying later.')
      })
      .finally(() => {
        sweeping = undefined
      })
  }

  async function sweepAll(limit: number): Promise<void> {
    const stillFull = new Set<string>()
    for (const { id } of await db.run(listAccounts())) {
      if (isStopped) return
      const { evictedCount, remainingBytes } = await evictBeyond(db, id, limit)
      if (evictedCount > 0) {
        const facts = { accountId: id, evictedCount, remainingBytes, limit }
        log.info(facts, 'Evicted the oldest results of an account that was over its storage limit.')
      }
      if (remainingBytes > limit) stillFull.add(id)
    }
    full = stillFull
  }
}

/** Removes an account's oldest results until it is within its limit. */
async function evictBeyond(
  db: Database,
  accountId: string,
  bytesMax: number,
): Promise<{ evictedCount: number; remainingBytes: number }> {
  let evictedCount = 0
  let remainingBytes = await sumOf(db, accountId)
  let after: ResultPlace = { createdAtMs: -1, taskId: '' }
  let isLastPage = false
  while (remainingBytes > bytesMax && !isLastPage) {
    const listed = await db.run(
      listOldestResults({ accountId, after, resultsMax: listedAtOnceMax }),
    )
    isLastPage = listed.length < listedAtOnceMax
    after = listed.at(-1) ?? after
    if (listed.every(({ isHeld }) => isHeld)) continue
    // The sum is read after the list, so it leaves out what another process has evicted meanwhile.
    // Otherwise two processes together could evict twice as much as necessary.
    const totalBytes = await sumOf(db, accountId)
    const chosen = chooseEvictions(listed, { totalBytes, bytesMax })
    remainingBytes = chosen.remainingBytes
    evictedCount += chosen.taskIds.length
    await db.transaction(
      chosen.taskIds.flatMap((id) => [deleteUnheldResult(id), deleteBlobsWithoutResult(id)]),
    )
  }
  return { evictedCount, remainingBytes }
}

async function sumOf(db: Database, accountId: string): Promise<number> {
  const [totalBytes = 0] = await db.run(sumResultBytes(accountId))
  return totalBytes
}
