import { backoffMs } from '../backoff.ts'

/** What the past uses of a proxy say about it; a circuit breaker that cools down after refusals. */
export interface ProxyHealth {
  /** The share of successful uses, as a moving average; 0 to 1. */
  successShare: number
  /** The latency, as a moving average; undefined until it was measured. */
  latencyMs: number | undefined
  /** When it last carried a use. */
  carriedAtMs: number
  refusalsInARow: number
  /** When its last cool-down began. */
  pausedAtMs: number
  /** The proxy is chosen last until then. */
  coolsDownUntilMs: number
  /** The score after its last use, 0 to 1, and when that was. */
  score: number
  scoredAtMs: number
}

export type ProxyOutcome =
  /** The target responded through the proxy. */
  | { kind: 'carried'; latencyMs: number }
  /** The proxy was unusable for any target; for one account, another proxy succeeded where it had failed. */
  | { kind: 'refused' }
  /** There was no response. The target may be at fault: any caller can name dead targets. */
  | { kind: 'failed' }
  /** The attempt was cancelled, or failed for a reason that has nothing to do with the proxy. */
  | { kind: 'unknown' }

/** The health of an unused proxy: the best, so that it is tried. */
export const unknownHealth: ProxyHealth = Object.freeze({
  successShare: 1,
  latencyMs: undefined,
  carriedAtMs: 0,
  refusalsInARow: 0,
  pausedAtMs: 0,
  coolsDownUntilMs: 0,
  score: 1,
  scoredAtMs: 0,
})

const successWeight = 0.1
const latencyWeight = 0.2
const coolDown = { firstMs: 5_000, msMax: 600_000 }
/** The latency that halves the score. It is generous, because targets differ as much as proxies. */
const halfScoreLatencyMs = 5_000
/** A bad score recovers in this time without use; else a bad proxy would never be tried again. */
const recoveryMs = 600_000

export function afterOutcome(
  before: ProxyHealth,
  outcome: ProxyOutcome,
  { begunAtMs, nowMs }: { begunAtMs: number; nowMs: number },
): ProxyHealth {
  if (outcome.kind === 'unknown') return before
  const health = { ...before, successShare: recovered(before.successShare, before, nowMs) }
  if (outcome.kind === 'carried') {
    health.successShare = toward(1, health.successShare, successWeight)
    health.latencyMs = averaged(before.latencyMs, outcome.latencyMs)
    health.carriedAtMs = nowMs
    // A use that began before the proxy went down does not prove that it is up again.
    if (begunAtMs >= before.pausedAtMs) {
      health.refusalsInARow = 0
      health.coolsDownUntilMs = 0
    }
  } else {
    health.successShare = toward(0, health.successShare, successWeight)
    // When a proxy goes down, many uses are refused together: they count as one refusal for the backoff.
    // A proxy that carried another use after this one began is up, whatever happened to this one.
    const isNewRefusal = begunAtMs >= Math.max(before.coolsDownUntilMs, before.carriedAtMs)
    if (outcome.kind === 'refused' && isNewRefusal) {
      health.refusalsInARow += 1
      health.pausedAtMs = nowMs
      health.coolsDownUntilMs = nowMs + backoffMs(health.refusalsInARow, coolDown)
    }
  }
  health.score = health.successShare * speedOf(health.latencyMs)
  health.scoredAtMs = nowMs
  return health
}

export const isCoolingDown = ({ coolsDownUntilMs }: ProxyHealth, nowMs: number): boolean =>
  nowMs < coolsDownUntilMs

/** The score now, 0 to 1: it recovers while the proxy is not used. */
export const scoreAt = (health: ProxyHealth, nowMs: number): number =>
  recovered(health.score, health, nowMs)

const recovered = (share: number, { scoredAtMs }: ProxyHealth, nowMs: number): number =>
  Math.min(1, share + Math.max(0, nowMs - scoredAtMs) / recoveryMs)

const toward = (end: number, value: number, weight: number): number =>
  value + (end - value) * weight

const averaged = (before: number | undefined, latencyMs: number): number =>
  before === undefined ? latencyMs : toward(latencyMs, before, latencyWeight)

const speedOf = (latencyMs: number | undefined): number =>
  halfScoreLatencyMs / (halfScoreLatencyMs + (latencyMs ?? 0))
