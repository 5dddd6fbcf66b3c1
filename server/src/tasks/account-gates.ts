/** Which gate the tasks of an account share, if any, and what the gates of a lane of tasks let through. */
export interface AccountGates {
  gateOf(accountId: string): string | undefined
  hasRoom(gate: string, taken: { here: number; elsewhere: number }): boolean
}

const prefix = 'account '

/** `runningMax` tasks of one account at once, over all processes; without it there are no such gates. */
export function createAccountGates(runningMax: number | undefined): AccountGates {
  return {
    gateOf: (accountId) => (runningMax === undefined ? undefined : prefix + accountId),
    hasRoom(gate, { here, elsewhere }) {
      // The only other gate is the one of suspects, which go one by one in each process.
      if (!gate.startsWith(prefix)) return here === 0
      // Without a limit now, what was written under one is let through.
      return here + elsewhere < (runningMax ?? Number.POSITIVE_INFINITY)
    },
  }
}
