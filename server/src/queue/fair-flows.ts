import { type Flow, readFlow } from '../domain/task/flow.ts'
import type { ConcurrencyLimits } from './concurrency-limits.ts'

/** A flow to claim from, and how many entries. */
export interface FlowClaim {
  flow: Flow
  count: number
}

/** Whether an account may have one more slot, beside those that it has just been given. */
export type MayHaveMore = (accountId: string, givenCount: number) => boolean

// A larger batch saves little and delays other calls to the store.
const claimBatchMax = 32

/**
 * Fair scheduling among tenants: the flows of a lane that have ready entries, as far as this process
 * knows. Accounts take turns, and within an account its flows (round robin). A flow whose concurrency
 * limit is reached is blocked until a slot of its key is free, and costs nothing meanwhile.
 */
export class FairFlows {
  readonly #limits: ConcurrencyLimits
  // Maps keep insertion order: a flow that has had its turn is put last.
  readonly #waitingByAccount = new Map<string, Map<string, Flow>>()
  readonly #blockedByKey = new Map<string, Map<string, Flow>>()
  /** The flows being claimed; true if the flow was announced again meanwhile. */
  readonly #claiming = new Map<string, boolean>()

  constructor(limits: ConcurrencyLimits) {
    this.#limits = limits
  }

  /** Whether the flow may have older entries that a new one must not overtake. */
  isBacklogged(flow: Flow): boolean {
    return (
      this.#claiming.has(flow.name) ||
      this.#waitingByAccount.get(flow.accountId)?.has(flow.name) === true ||
      this.#blockedByKey.get(flow.concurrencyKey ?? '')?.has(flow.name) === true
    )
  }

  /** Whether a flow waits to be claimed from. */
  get isWaiting(): boolean {
    return this.#waitingByAccount.size > 0
  }

  /** The flow may have ready entries. */
  announce(name: string): void {
    if (this.#claiming.has(name)) {
      this.#claiming.set(name, true)
      return
    }
    const flow = readFlow(name)
    remove(this.#blockedByKey, flow.concurrencyKey ?? '', name)
    if (this.#waitingByAccount.get(flow.accountId)?.has(name)) return
    this.#enqueue(flow)
  }

  /**
   * Shares out the slots one by one, among the accounts that may have one more. Nothing more is
   * claimed from these flows until `claimed` is called.
   */
  planClaims(slots: number, mayHaveMore: MayHaveMore = () => true): FlowClaim[] {
    const claims = new Map<string, FlowClaim>()
    const takenBy = new Map<string, number>()
    for (let free = slots; free > 0; ) {
      const flow = this.#next((accountId) => mayHaveMore(accountId, takenBy.get(accountId) ?? 0))
      if (!flow) break
      if (!this.#limits.canClaim(flow)) {
        this.#block(flow)
        continue
      }
      this.#limits.claim(flow)
      free -= 1
      takenBy.set(flow.accountId, (takenBy.get(flow.accountId) ?? 0) + 1)
      const claim = claims.get(flow.name) ?? { flow, count: 0 }
      claim.count += 1
      claims.set(flow.name, claim)
      this.#claiming.set(flow.name, false)
      if (claim.count < claimBatchMax) this.#enqueue(flow)
    }
    for (const { flow } of claims.values()) {
      remove(this.#waitingByAccount, flow.accountId, flow.name)
      remove(this.#blockedByKey, flow.concurrencyKey ?? '', flow.name)
    }
    return [...claims.values()]
  }

  /** Ends a claim: says how many entries were claimed, and whether more are ready. */
  claimed({ flow, count }: FlowClaim, claimedCount: number, hasMore: boolean): void {
    this.#limits.unclaim(flow, count - claimedCount)
    const isAnnounced = this.#claiming.get(flow.name) ?? false
    this.#claiming.delete(flow.name)
    // Other processes hold the slots of its key: the next slot that is freed here unblocks it.
    if (hasMore && claimedCount < count && flow.concurrencyKey !== undefined) this.#block(flow)
    else if (hasMore || isAnnounced) this.#enqueue(flow)
  }

  /** To be called when more of the key may be claimed. */
  unblock(key: string): void {
    for (const flow of [...(this.#blockedByKey.get(key)?.values() ?? [])]) {
      if (!this.#limits.isWorthClaiming(flow)) continue
      remove(this.#blockedByKey, key, flow.name)
      this.#enqueue(flow)
    }
  }

  #next(mayHave: (accountId: string) => boolean): Flow | undefined {
    for (const [accountId, flows] of this.#waitingByAccount) {
      if (!mayHave(accountId)) continue
      const [flow] = flows.values()
      if (flow) flows.delete(flow.name)
      this.#waitingByAccount.delete(accountId)
      if (flows.size > 0) this.#waitingByAccount.set(accountId, flows)
      return flow
    }
    return undefined
  }

  #enqueue(flow: Flow): void {
    put(this.#waitingByAccount, flow.accountId, flow)
  }

  #block(flow: Flow): void {
    put(this.#blockedByKey, flow.concurrencyKey ?? '', flow)
  }
}

function put(groups: Map<string, Map<string, Flow>>, group: string, flow: Flow): void {
  const flows = groups.get(group)
  if (flows) flows.set(flow.name, flow)
  else groups.set(group, new Map([[flow.name, flow]]))
}

function remove(groups: Map<string, Map<string, Flow>>, group: string, name: string): void {
  const flows = groups.get(group)
  if (flows?.delete(name) && flows.size === 0) groups.delete(group)
}
