import {
  type AfterSend,
  type Delivery,
  type DeliveryState,
  decideAfterSend,
  destinationOf,
  isSuccess,
} from '../domain/delivery/delivery.ts'
import type { HttpClient } from '../outbound/client/http-client.ts'
import type { Lease } from '../queue/lease.ts'
import { crashPoint } from '../runtime/crash-point.ts'
import type { Sealer } from '../runtime/crypto/seal.ts'
import type { Log } from '../runtime/log.ts'
import type { Database } from '../storage/database.ts'
import { isStoreUnavailable } from '../storage/outages/store-unavailable.ts'
import { RequirementUnmet, type Statement } from '../storage/statement.ts'
import {
  type DeliveryToSend,
  getDeliveryToSend,
  insertDeliveryAttempt,
  recordSend,
  skipDelivery,
} from '../storage/tables/deliveries.ts'
import { removeIdleEntry } from '../storage/tables/queue-entries.ts'
import { findWebhook, pauseWebhook, stillPaused } from '../storage/tables/webhooks.ts'
import type { Destinations } from './destinations.ts'
import type { PreloadedDelivery } from './outbox.ts'
import { failedToSend, type Sent, sendMessage } from './send-message.ts'
import type { Signer } from './signer.ts'

export interface SenderParts {
  db: Database
  sealer: Sealer
  log: Log
  client: HttpClient
  sign: Signer
  /** The body of a delivery; undefined once the result is no longer kept. */
  bodyOf(delivery: Delivery, signal: AbortSignal): Promise<Uint8Array | undefined>
}

interface SendRules {
  destinations: Destinations
  scheduleMs: readonly number[]
  onSent(sent: Sent, result: AfterSend['kind']): void
}

type Sendable = DeliveryToSend & { url: string }

/** Runs a queue entry of the lane `delivery`: sends once and records the outcome. */
export function createSender(parts: SenderParts, rules: SendRules) {
  const { db, sealer, client, sign } = parts

  return async (lease: Lease, preloaded: PreloadedDelivery | undefined): Promise<void> => {
    const delivery =
      preloaded?.delivery ?? (await db.run(getDeliveryToSend(sealer, lease.workId)))[0]
    const isScheduled = lease.id === lease.workId
    if (!delivery || (isScheduled && delivery.state !== 'pending')) {
      await lease.settle([])
    } else if (delivery.url === undefined) {
      await lease.settle([skipDelivery(delivery.id, db.nowMs())])
    } else if (!(isScheduled && delivery.isPaused && (await isHeldWhilePaused(lease, delivery)))) {
      await sendOnce(lease, { ...delivery, url: delivery.url }, preloaded?.body)
    }
  }

  async function sendOnce(
    lease: Lease,
    delivery: Sendable,
    knownBody: Uint8Array | undefined,
  ): Promise<void> {
    const startedAtMs = db.nowMs()
    const body = knownBody ?? (await parts.bodyOf(delivery, lease.signal))
    crashPoint('before_send')
    const sent = body ? await trySending(lease, delivery, body) : resultGone
    crashPoint('after_receiver_answered')
    const circuit = { accountId: delivery.accountId, destination: destinationOf(delivery.url) }
    if (body) rules.destinations.record(circuit, isSuccess(sent.outcome))
    lease.releaseKey()
    await recordOutcome(lease, delivery, { ...sent, startedAtMs, isPossible: body !== undefined })
  }

  /** An unexpected error counts as an attempt, otherwise the delivery would be retried forever. */
  async function trySending(lease: Lease, delivery: Sendable, body: Uint8Array): Promise<Sent> {
    try {
      return await send(lease, delivery, body)
    } catch (error) {
      if (lease.signal.aborted || isStoreUnavailable(error)) throw error
      const facts = { err: error, deliveryId: delivery.id }
      parts.log.error(facts, 'A delivery failed with an unexpected error; counted as an attempt.')
      return failedToSend('The message could not be sent.', 0)
    }
  }

  async function send(lease: Lease, delivery: Sendable, body: Uint8Array): Promise<Sent> {
    const { webhook } = delivery
    const message = {
      ...delivery,
      subjectId: delivery.subject.id,
      body,
      webhook: webhook && { id: webhook.id, eventName: webhook.eventType },
    }
    const headers = await sign(message, db.nowMs())
    return sendMessage(client, { ...message, headers, nowMs: db.nowMs() }, lease.signal)
  }

  async function recordOutcome(
    lease: Lease,
    delivery: Sendable,
    sent: Sent & { startedAtMs: number; isPossible: boolean },
  ): Promise<void> {
    const isScheduled = lease.id === lease.workId
    const next = sent.isPossible
      ? decideAfterSend({
          outcome: sent.outcome,
          attemptsMade: delivery.scheduleStep + 1,
          scheduleMs: rules.scheduleMs,
          random: Math.random(),
        })
      : ({ kind: 'given_up', isGone: false } as const)
    const nowMs = db.nowMs()
    const nextAttemptAtMs = isScheduled && next.kind === 'retry' ? nowMs + next.afterMs : null
    const statements = await planRecord(parts, delivery, {
      ...sent,
      isScheduled,
      next,
      nextAttemptAtMs,
      nowMs,
    })
    rules.onSent(sent, next.kind)
    if (nextAttemptAtMs === null) await lease.settle(statements)
    else await lease.postpone(nextAttemptAtMs, statements)
    crashPoint('after_delivery_commit')
  }

  /** A paused webhook gets nothing; resuming it enqueues its pending deliveries again. */
  async function isHeldWhilePaused(lease: Lease, { webhook }: DeliveryToSend): Promise<boolean> {
    try {
      await lease.settle([stillPaused(webhook?.id ?? '').required('paused')])
      return true
    } catch (error) {
      if (error instanceof RequirementUnmet) return false
      throw error
    }
  }
}

const resultGone = failedToSend('The result is no longer kept.', 0)

async function planRecord(
  parts: Pick<SenderParts, 'db' | 'sealer'>,
  delivery: Sendable,
  made: Sent & {
    startedAtMs: number
    isScheduled: boolean
    next: AfterSend
    nextAttemptAtMs: number | null
    nowMs: number
  },
): Promise<Statement<unknown>[]> {
  const { next } = made
  const response = {
    statusCode: made.outcome.kind === 'response' ? made.outcome.statusCode : null,
    error: made.error,
  }
  const isGone = next.kind === 'given_up' && next.isGone
  const isScheduleOver = next.kind === 'delivered' && !made.isScheduled
  return [
    recordSend({ ...made, ...response, id: delivery.id, state: stateAfter(made) }),
    insertDeliveryAttempt(parts.sealer, delivery, { ...made, ...response }),
    ...(isScheduleOver ? [removeIdleEntry(delivery.id)] : []),
    ...(isGone ? await planPause(parts, delivery) : []),
  ]
}

/** Pauses the webhook whose URL is gone, unless it has another one by now. */
async function planPause(
  { db, sealer }: Pick<SenderParts, 'db' | 'sealer'>,
  { webhook, accountId, url }: Sendable,
): Promise<Statement<unknown>[]> {
  if (!webhook) return []
  const [current] = await db.run(findWebhook(sealer, { id: webhook.id, accountId }))
  return current?.url === url ? [pauseWebhook(current, db.nowMs())] : []
}

/** A failed redelivery does not change a pending delivery: `recordSend` keeps its state. */
function stateAfter(made: { next: AfterSend; isScheduled: boolean }): DeliveryState {
  const { next, isScheduled } = made
  if (next.kind === 'delivered') return 'delivered'
  return isScheduled && next.kind === 'retry' ? 'pending' : 'failed'
}
