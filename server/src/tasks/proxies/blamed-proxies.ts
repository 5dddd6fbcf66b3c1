import type { ProxyCandidate } from '../../domain/proxy/choose-proxy.ts'
import { afterOutcome, type ProxyHealth, unknownHealth } from '../../domain/proxy/proxy-health.ts'

interface Use {
  begunAtMs: number
  nowMs: number
}

/** More accounts than work at the same time; the one that blamed a proxy the longest ago is forgotten. */
const accountsMax = 1_000

/**
 * A circuit breaker for each account: the proxies that cool down for it alone, because its tasks failed
 * through them and succeeded through others. A target can bring that about: it counts for the account whose
 * target it was, and keeps no other from an exit that works for it.
 */
export class BlamedProxies {
  readonly #byAccount = new Map<string, Map<ProxyCandidate, ProxyHealth>>()

  of(accountId: string): ReadonlyMap<ProxyCandidate, ProxyHealth> | undefined {
    return this.#byAccount.get(accountId)
  }

  /** When the last cool-down of each blamed proxy ends. */
  lastCoolDowns(): Map<ProxyCandidate, number> {
    const lastMs = new Map<ProxyCandidate, number>()
    for (const proxies of this.#byAccount.values()) {
      for (const [candidate, { coolsDownUntilMs }] of proxies) {
        lastMs.set(candidate, Math.max(coolsDownUntilMs, lastMs.get(candidate) ?? 0))
      }
    }
    return lastMs
  }

  blame(accountId: string, candidate: ProxyCandidate, use: Use): void {
    candidate.isBlamed = true
    const proxies = this.#byAccount.get(accountId) ?? new Map()
    const before = proxies.get(candidate) ?? unknownHealth
    // One that carried anybody's task since the attempt began is up.
    const carriedAtMs = Math.max(before.carriedAtMs, candidate.health.carriedAtMs)
    proxies.set(candidate, afterOutcome({ ...before, carriedAtMs }, { kind: 'refused' }, use))
    this.#byAccount.delete(accountId)
    this.#byAccount.set(accountId, proxies)
    for (const oldest of this.#byAccount.keys()) {
      if (this.#byAccount.size <= accountsMax) break
      this.#byAccount.delete(oldest)
    }
  }

  /** Forgets the proxies that are no longer listed. */
  keepOnly(listed: ReadonlySet<ProxyCandidate>): void {
    for (const proxies of this.#byAccount.values()) {
      for (const candidate of proxies.keys()) {
        if (!listed.has(candidate)) proxies.delete(candidate)
      }
    }
  }

  /** Ends the cool-down for the account whose task the proxy carried. */
  onCarried(accountId: string, candidate: ProxyCandidate, latencyMs: number, use: Use): void {
    const proxies = this.#byAccount.get(accountId)
    const before = proxies?.get(candidate)
    if (before) proxies?.set(candidate, afterOutcome(before, { kind: 'carried', latencyMs }, use))
  }
}
