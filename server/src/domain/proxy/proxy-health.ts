import { backoffMs } from '../backoff.ts'

/** What the uses of a proxy have told about it so far. */
export interface ProxyHealth {
  /** Of its uses, the share that it carried, the latest counting most; 0 to 1. */
  successShare: number
  /** How long it took, averaged in the same way; undefined until it was measured. */
  latencyMs: number | undefined
  /** When it last carried one. */
  carriedAtMs: number
  refusalsInARow: number
  /** When its last pause began. */
  pausedAtMs: number
  /** Until then it is chosen last. */
  coolsDownUntilMs: number
  /** What it was worth after its last use, 0 to 1, and when that was. */
  score: number
  scoredAtMs: number
}

export type ProxyOutcome =
  /** The target answered through it. */
  | { kind: 'carried'; latencyMs: number }
  /** It could not be used, whatever the target is, or another brought the task what it did not. */
  | { kind: 'refused' }
  /** It brought no answer, which may be its target's fault: anybody can name targets that are dead. */
  | { kind: 'failed' }
  /** Nothing can be learned: it was cancelled, or failed in a way of which a proxy knows nothing. */
  | { kind: 'unknown' }

/** Of a proxy nobody has used yet: as good as any, so that it is tried. */
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
/** A latency that halves the score. Targets differ by as much as proxies do, so it is a generous one. */
const latencyMsHalved = 5_000
/** What is not used is forgiven in this time, or nobody would ever see that it is well again. */
const forgivenMs = 600_000

export function afterOutcome(
  before: ProxyHealth,
  outcome: ProxyOutcome,
  { begunAtMs, nowMs }: { begunAtMs: number; nowMs: number },
): ProxyHealth {
  if (outcome.kind === 'unknown') return before
  const health = { ...before, successShare: forgiven(before.successShare, before, nowMs) }
  if (outcome.kind === 'carried') {
    health.successShare = toward(1, health.successShare, successWeight)
    health.latencyMs = averaged(before.latencyMs, outcome.latencyMs)
    health.carriedAtMs = nowMs
    // One that began before the proxy went down does not say that it is up again.
    if (begunAtMs >= before.pausedAtMs) {
      health.refusalsInARow = 0
      health.coolsDownUntilMs = 0
    }
  } else {
    health.successShare = toward(0, health.successShare, successWeight)
    // Many are refused together when it goes down: they are one refusal, not a pause doubled for each.
    // And one that has carried others meanwhile is up, whatever became of this one.
    const isNews = begunAtMs >= Math.max(before.coolsDownUntilMs, before.carriedAtMs)
    if (outcome.kind === 'refused' && isNews) {
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

/** What it is worth now, 0 to 1. */
export const scoreAt = (health: ProxyHealth, nowMs: number): number =>
  forgiven(health.score, health, nowMs)

const forgiven = (share: number, { scoredAtMs }: ProxyHealth, nowMs: number): number =>
  Math.min(1, share + Math.max(0, nowMs - scoredAtMs) / forgivenMs)

const toward = (end: number, value: number, weight: number): number =>
  value + (end - value) * weight

const averaged = (before: number | undefined, latencyMs: number): number =>
  before === undefined ? latencyMs : toward(latencyMs, before, latencyWeight)

const speedOf = (latencyMs: number | undefined): number =>
  latencyMsHalved / (latencyMsHalved + (latencyMs ?? 0))
