import { backoffMs } from '../backoff.ts'
import type { FailureCode } from '../failure.ts'
import type { Handover } from '../scrape/engine-reason.ts'
import type { AttemptTimings } from '../scrape/page.ts'
import type { TaskLane } from './lane.ts'

/** The outcome of one attempt: a response of the target, whatever its status, or a failure. */
export type AttemptOutcome =
  | { kind: 'page'; statusCode: number; retryAfterSeconds: number | undefined }
  | { kind: 'failure'; code: FailureCode; message: string }

/** One attempt as `debug` shows it. */
export interface AttemptRecord {
  engine: TaskLane
  /** The label of the proxy, never its credentials. */
  proxy: string | null
  outcome: 'page' | FailureCode
  statusCode: number | null
  startedAtMs: number
  durationMs: number
  /** The time from being due to being started. */
  queueMs: number
  timings: AttemptTimings | null
  /** The pause before the next attempt; absent on the last one. */
  backoffMs?: number
  /** Set where the other engine had to continue the attempt; its record follows. */
  handover?: Handover
}

export type NextMove = { kind: 'end' } | { kind: 'retry'; afterMs: number }

const backoffMsMax = 30_000

const retriedCodes = new Set<FailureCode>([
  'TARGET_UNREACHABLE',
  'TARGET_DNS_FAILED',
  'TARGET_TIMEOUT',
  'BAD_RESPONSE',
  'PROXY_FAILED',
  'BROWSER_CRASHED',
  'SELECTOR_NOT_FOUND',
  'ACTION_FAILED',
])
const retriedStatuses = new Set([403, 407, 408, 425, 429])

/** Decides whether a task is retried. The caller gets the last HTTP response, whatever its status. */
export function decideAfterAttempt(facts: {
  outcome: AttemptOutcome
  /** This one included. */
  attemptsMade: number
  retries: { useRetries: boolean; maxRetries: number }
  usedMs: number
  /** The time limit of all attempts of the task and the backoff between them. */
  totalMsMax: number
  /** The proxy of this attempt, and the attempts before it. */
  proxy: string | null
  earlier: readonly AttemptRecord[]
  /** False for a request such as a POST, which the target must not get twice. */
  isRepeatable: boolean
  /** The least pause before another attempt, where the target asks for one. */
  pauseMs?: number | undefined
  /** Between 0 and 1, for the jitter. */
  random: number
}): NextMove {
  const { outcome, attemptsMade, retries } = facts
  const retriesLeft = retries.useRetries ? retries.maxRetries + 1 - attemptsMade : 0
  if (retriesLeft <= 0 || !isWorthRetrying(outcome, facts)) return { kind: 'end' }
  const waitMs = outcome.kind === 'page' ? (outcome.retryAfterSeconds ?? 0) * 1_000 : 0
  const afterMs = Math.max(
    backoffMs(attemptsMade, { firstMs: 500, msMax: backoffMsMax, random: facts.random }),
    Math.min(waitMs, backoffMsMax),
    facts.pauseMs ?? 0,
  )
  return facts.usedMs + afterMs < facts.totalMsMax ? { kind: 'retry', afterMs } : { kind: 'end' }
}

function isWorthRetrying(
  outcome: AttemptOutcome,
  facts: { proxy: string | null; earlier: readonly AttemptRecord[]; isRepeatable: boolean },
): boolean {
  const { proxy, earlier } = facts
  // Only a name that was not found means for certain that nothing was sent.
  if (!facts.isRepeatable) return outcome.kind === 'failure' && outcome.code === 'TARGET_DNS_FAILED'
  if (outcome.kind === 'page') return isRetriedStatus(outcome.statusCode)
  if (outcome.code !== 'TARGET_TLS_FAILED') return retriedCodes.has(outcome.code)
  // A proxy that intercepts TLS has a certificate of its own; a second failure is the target's.
  return proxy !== null && !earlier.some((record) => record.outcome === outcome.code)
}

export const isRetriedStatus = (statusCode: number): boolean =>
  retriedStatuses.has(statusCode) || statusCode >= 500
