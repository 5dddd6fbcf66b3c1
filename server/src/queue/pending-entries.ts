import type { Statement } from '../storage/statement.ts'

/** Entries on their way into the queue. `commitEntries` calls what follows their transaction. */
export interface PendingEntries {
  /** To be written in one transaction with what the entries are for. */
  readonly statements: readonly Statement<unknown>[]
  /** They are in the queue: a worker of this process may begin them. */
  committed(): void
  withdrawn(): void
}

/**
 * The way into the queue: whatever happens to the transaction, the slots and counts that were taken for the
 * entries are used or given up. `write` returns false, as this does, if a requirement was not met.
 */
export async function commitEntries(
  pending: PendingEntries,
  write: () => Promise<boolean>,
): Promise<boolean> {
  let isWritten = false
  try {
    isWritten = await write()
  } finally {
    if (isWritten) pending.committed()
    else pending.withdrawn()
  }
  return isWritten
}
