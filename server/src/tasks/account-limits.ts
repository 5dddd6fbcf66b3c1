import type { TaskLane } from '../domain/task/lane.ts'
import type { ConcurrencyLimit } from '../queue/concurrency-limits.ts'

/** The concurrency key that the tasks of an account share, if any, and the limits of a task lane's keys. */
export interface AccountLimits {
  keyOf(lane: TaskLane, accountId: string): string | undefined
  limitOf(concurrencyKey: string): ConcurrencyLimit
}

const prefix = 'account '

/** `runningMax` tasks of one account at once, over all processes, in each lane; unlimited without it. */
export const createAccountLimits = (runningMax: number | undefined): AccountLimits => ({
  keyOf: (lane, accountId) =>
    runningMax === undefined ? undefined : `${prefix}${lane} ${accountId}`,
  limitOf: (key) =>
    key.startsWith(prefix)
      ? // What was written while there was a limit is not held back once there is none.
        { max: runningMax ?? Number.POSITIVE_INFINITY, isGlobal: runningMax !== undefined }
      : // The only other key is that of suspected poison tasks, one at a time in each process.
        { max: 1, isGlobal: false },
})
