import type { DeliveryState } from './delivery.ts'
import type { EventType } from './webhook.ts'

/** How the callback of a task or job stands. */
export interface CallbackProgress {
  state: DeliveryState
  attempts: number
  nextAttemptAtMs: number | null
  lastStatusCode: number | null
  lastError: string | null
  deliveredAtMs: number | null
}

/** A delivery as a webhook's list shows it. */
export interface DeliveryView {
  id: string
  /** The id of the task or job. */
  subjectId: string
  eventType: EventType
  state: DeliveryState
  attempts: number
  lastStatusCode: number | null
  createdAtMs: number
  deliveredAtMs: number | null
}

/** A delivery by itself: also when it is tried next. */
export interface SingleDelivery extends DeliveryView {
  nextAttemptAtMs: number | null
}

/** One attempt as the log keeps it. */
export interface LoggedAttempt {
  number: number
  startedAtMs: number
  durationMs: number
  statusCode: number | null
  error: string | null
  answerExcerpt: string | null
}

/** A delivery as its task shows it. */
export interface DeliveryOfTask extends Omit<DeliveryView, 'subjectId' | 'eventType'> {
  /** Null for the callback. */
  webhookId: string | null
  eventType: EventType | null
  nextAttemptAtMs: number | null
}

/** A delivery with its attempts, and what is posted; the body is null once the result is no longer kept. */
export interface DeliveryDetails extends SingleDelivery {
  attemptLog: LoggedAttempt[]
  body: Uint8Array | null
}
