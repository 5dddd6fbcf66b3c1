import {
  meetsRequirements,
  type ProxyCandidate,
  type ProxyRequirements,
} from '../../domain/proxy/choose-proxy.ts'
import type { Log } from '../../runtime/log.ts'
import { RepeatedLines } from '../../runtime/repeated-lines.ts'

interface ProxyOutage {
  readonly required: ProxyRequirements
  readonly begunAtMs: number
}

/** Logs an outage of all proxies that fit a task in two lines, however many tasks meet it: beginning and end. */
export class ProxyOutages {
  readonly #lines: RepeatedLines
  readonly #nowMs: () => number
  readonly #outages = new Map<string, ProxyOutage>()

  constructor({ log, nowMs }: { log: Log; nowMs: () => number }) {
    this.#lines = new RepeatedLines(log)
    this.#nowMs = nowMs
  }

  /** To be called when a proxy was unusable for a task with these requirements. */
  onRefused(candidates: readonly ProxyCandidate[], required: ProxyRequirements): void {
    const key = describe(required)
    if (this.#outages.has(key)) return
    const fitting = candidates.filter((candidate) => meetsRequirements(candidate, required))
    if (fitting.some(isUsable)) return
    this.#outages.set(key, { required, begunAtMs: this.#nowMs() })
    this.#lines.warn(
      { proxies: fitting.length, ...required },
      `No proxy for ${key} works: all ${fitting.length} cannot be reached or refuse their credentials. ` +
        'Tasks that need one fail with PROXY_FAILED; another line says when one works again. ' +
        '"npx trawl proxies test" shows what is wrong with each.',
    )
  }

  /** To be called when a proxy worked, and when the list was replaced. */
  onUsable(candidates: readonly ProxyCandidate[]): void {
    for (const [key, { required, begunAtMs }] of this.#outages) {
      const isOver = candidates.some((one) => isUsable(one) && meetsRequirements(one, required))
      if (!isOver) continue
      this.#outages.delete(key)
      const seconds = Math.round((this.#nowMs() - begunAtMs) / 1_000)
      this.#lines.warn(
        { seconds, ...required },
        `A proxy for ${key} works again, or was added, after ${seconds} s.`,
      )
    }
  }
}

const isUsable = ({ health }: ProxyCandidate): boolean => health.refusalsInARow === 0

const describe = ({ country, type }: ProxyRequirements): string => {
  const parts = [type && `type ${type}`, country && `country ${country}`].filter(Boolean)
  return parts.length > 0 ? `the ${parts.join(', ')}` : 'any task'
}
