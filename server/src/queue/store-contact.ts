// A process that lives renews its leases within one heartbeat after the store is back.
const steadyHeartbeats = 2
// A lease lasts four heartbeats: after a shorter gap, one that was renewed a heartbeat before still holds.
const gapHeartbeatsMax = 3

/**
 * Whether this process can tell that others are dead. In an outage of the store nobody can renew a lease,
 * so after a gap in its own contact, and after its start, a process first waits until the others had
 * the chance to renew theirs.
 */
export class StoreContact {
  readonly #heartbeatMs: number
  #lastMs: number
  #sinceMs: number

  constructor(heartbeatMs: number, nowMs: number) {
    this.#heartbeatMs = heartbeatMs
    this.#lastMs = nowMs
    this.#sinceMs = nowMs
  }

  /** To be called when the store has answered a heartbeat. */
  answered(nowMs: number): void {
    if (nowMs - this.#lastMs > gapHeartbeatsMax * this.#heartbeatMs) this.#sinceMs = nowMs
    this.#lastMs = nowMs
  }

  get isSteady(): boolean {
    return this.#lastMs - this.#sinceMs >= steadyHeartbeats * this.#heartbeatMs
  }
}
