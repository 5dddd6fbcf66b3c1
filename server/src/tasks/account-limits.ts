import type { TaskLane } from '../domain/task/lane.ts'
import type { ConcurrencyLimit } from '../queue/concurrency-limits.ts'

export type AccountLimits = ReturnType<typeof createAccountLimits>

/**
 * The concurrency key that a tenant's tasks share, if any, and the limits of a lane's keys. `runningMax`: how
 * many tasks of an account a lane runs at once, over all processes.
 */
export const createAccountLimits = (runningMax: number | undefined) => ({
  keyOf: (lane: TaskLane, accountId: string): string | undefined =>
    runningMax === undefined ? undefined : `account ${lane} ${accountId}`,
  // Entries that were written under an earlier limit still have the key.
  limitOf: (): ConcurrencyLimit => ({
    max: runningMax ?? Number.POSITIVE_INFINITY,
    isGlobal: runningMax !== undefined,
  }),
})
