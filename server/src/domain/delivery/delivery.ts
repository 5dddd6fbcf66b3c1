import { jitterMs } from '../backoff.ts'
import type { JobEnd } from '../job/job.ts'
import type { EventType } from './webhook.ts'

export const deliveryStates = ['pending', 'delivered', 'failed', 'skipped'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** One message that a URL has to get about the end of a task or job: its callback, or a webhook's event. */
export interface Delivery {
  id: string
  accountId: string
  subject: DeliverySubject
  /** Undefined for a callback. */
  webhook: { id: string; eventType: EventType } | undefined
  createdAtMs: number
}

/** What has ended. A job may run again and end anew; each end has its own deliveries. */
export type DeliverySubject =
  | { kind: 'task'; id: string }
  | { kind: 'job'; id: string; end: JobEnd }

/** The outcome of one attempt to deliver. */
export type SendOutcome =
  | { kind: 'response'; statusCode: number; retryAfterSeconds: number | undefined }
  | { kind: 'error'; message: string }

export type AfterSend =
  | { kind: 'delivered' }
  | { kind: 'retry'; afterMs: number }
  | { kind: 'given_up'; isGone: boolean }

const retryAfterMsMax = 24 * 3_600_000

/** Decides after an attempt: any 2xx is success, 410 ends it, all else is retried by the schedule. */
export function decideAfterSend(facts: {
  outcome: SendOutcome
  /** Scheduled attempts so far, this one included. */
  attemptsMade: number
  scheduleMs: readonly number[]
  /** Between 0 and 1, for the jitter. */
  random: number
}): AfterSend {
  const { outcome, attemptsMade, scheduleMs } = facts
  if (isSuccess(outcome)) return { kind: 'delivered' }
  if (outcome.kind === 'response' && outcome.statusCode === 410) {
    return { kind: 'given_up', isGone: true }
  }
  const pauseMs = scheduleMs[attemptsMade]
  if (pauseMs === undefined) return { kind: 'given_up', isGone: false }
  const scheduledMs = jitterMs(pauseMs, facts.random)
  return { kind: 'retry', afterMs: Math.max(scheduledMs, retryAfterMs(outcome)) }
}

/** The longest pause between two attempts, by the schedule or as the receiver asks. */
export const deliveryPauseMsMax = (scheduleMs: readonly number[]): number =>
  Math.max(jitterMs(Math.max(...scheduleMs), 1), retryAfterMsMax)

export const isSuccess = (outcome: SendOutcome): boolean =>
  outcome.kind === 'response' && outcome.statusCode >= 200 && outcome.statusCode < 300

function retryAfterMs(outcome: SendOutcome): number {
  const mayAsk = outcome.kind === 'response' && [429, 503].includes(outcome.statusCode)
  if (!mayAsk) return 0
  return Math.min((outcome.retryAfterSeconds ?? 0) * 1_000, retryAfterMsMax)
}

/** How many deliveries a destination gets at once: from all accounts, and from one of them. */
export const perDestinationMax = 30
export const perAccountAndDestinationMax = 10
/** Circuit breaker: after so many failures in a row an account sends one delivery at a time there. */
export const failuresBeforeCircuitOpens = 10

/** Deliveries to the same origin share a concurrency limit, and those of one account a circuit breaker. */
export const destinationOf = (url: string): string => new URL(url).origin
