/** Leases of processes that stopped while the store was away. Where they are remembered is for the wiring. */
export interface UnreleasedLeases {
  /** The processes that left them; this one releases them as soon as it can. */
  readonly processIds: readonly string[]
  /** This process stops and cannot release its own. */
  keep(processId: string): void
  /** The leases of `processIds` are released. */
  released(): void
}
