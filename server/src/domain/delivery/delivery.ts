import { jitterMs } from '../backoff.ts'
import type { EventType } from './webhook.ts'

export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'skipped'

/** The duty to tell one URL about the end of one task: its callback, or a webhook's event. */
export interface Delivery {
  id: string
  accountId: string
  taskId: string
  /** Undefined for a callback. */
  webhook: { id: string; eventType: EventType } | undefined
  createdAtMs: number
}

/** What came of one try to deliver. */
export type SendOutcome =
  | { kind: 'answer'; statusCode: number; retryAfterSeconds: number | undefined }
  | { kind: 'error'; message: string }

export type AfterSend =
  | { kind: 'delivered' }
  | { kind: 'again'; afterMs: number }
  | { kind: 'given_up'; isGone: boolean }

const retryAfterMsMax = 24 * 3_600_000

/** What follows a try: any 2xx is success, 410 means never again, everything else comes again as long as the schedule lasts. */
export function decideAfterSend(facts: {
  outcome: SendOutcome
  /** Scheduled tries so far, this one included. */
  triesMade: number
  scheduleMs: readonly number[]
  /** Between 0 and 1. */
  chance: number
}): AfterSend {
  const { outcome, triesMade, scheduleMs } = facts
  if (isSuccess(outcome)) return { kind: 'delivered' }
  if (outcome.kind === 'answer' && outcome.statusCode === 410) {
    return { kind: 'given_up', isGone: true }
  }
  const pauseMs = scheduleMs[triesMade]
  if (pauseMs === undefined) return { kind: 'given_up', isGone: false }
  const scheduledMs = jitterMs(pauseMs, facts.chance)
  return { kind: 'again', afterMs: Math.max(scheduledMs, askedPauseMs(outcome)) }
}

export const isSuccess = (outcome: SendOutcome): boolean =>
  outcome.kind === 'answer' && outcome.statusCode >= 200 && outcome.statusCode < 300

function askedPauseMs(outcome: SendOutcome): number {
  const mayAsk = outcome.kind === 'answer' && [429, 503].includes(outcome.statusCode)
  if (!mayAsk) return 0
  return Math.min((outcome.retryAfterSeconds ?? 0) * 1_000, retryAfterMsMax)
}

/** How many deliveries to one destination may be under way at once. */
export const perDestinationMax = 10
/** After so many failures in a row a destination is tried by one delivery at a time. */
export const failuresBeforeOneByOne = 10

/** What deliveries to the same receiver share. */
export const destinationOf = (url: string): string => new URL(url).origin
