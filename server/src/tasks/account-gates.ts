import type { TaskLane } from '../domain/lane.ts'

/** Which gate the tasks of an account share, if any, and what the gates of a lane of tasks let through. */
export interface AccountGates {
  gateOf(lane: TaskLane, accountId: string): string | undefined
  hasRoom(gate: string, taken: { here: number; elsewhere: number }): boolean
}

const prefix = 'account '

/**
 * `runningMax` tasks of one account at once, over all processes, in each lane: a gate belongs to one,
 * as whoever leaves it brings back one that waits there. Without it there are no such gates.
 */
export function createAccountGates(runningMax: number | undefined): AccountGates {
  return {
    gateOf: (lane, accountId) =>
      runningMax === undefined ? undefined : `${prefix}${lane} ${accountId}`,
    hasRoom(gate, { here, elsewhere }) {
      // The only other gate is the one of suspects, which go one by one in each process.
      if (!gate.startsWith(prefix)) return here === 0
      // Without a limit now, what was written under one is let through.
      return here + elsewhere < (runningMax ?? Number.POSITIVE_INFINITY)
    },
  }
}
