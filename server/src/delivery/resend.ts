import { destinationOf } from '../domain/delivery/delivery.ts'
import type { LaneProducer } from '../queue/queue.ts'
import { sortableId } from '../runtime/sortable-id.ts'
import type { Database } from '../storage/database.ts'
import { isStillMissed } from '../storage/deliveries-table.ts'
import { lockWebhook } from '../storage/webhooks-table.ts'
import type { PreloadedDelivery } from './outbox.ts'

export interface ResendParts {
  db: Database
  deliveries: LaneProducer<PreloadedDelivery>
}

interface Duty {
  id: string
  accountId: string
  url: string
}

/**
 * Sends a delivery once more, beside its schedule. An entry that goes by the delivery's own id is its
 * schedule; this one has an id of its own.
 */
export async function resend(
  { db, deliveries }: ResendParts,
  { id, accountId, url }: Duty,
): Promise<void> {
  const entry = { id: sortableId(), workId: id, accountId, concurrencyKey: destinationOf(url) }
  await db.run(deliveries.enqueueReady(entry))
  deliveries.wake()
}

/**
 * Sends what a webhook missed, unless it has been tried or was put in line since it was looked for:
 * of several who ask at the same moment one is served. The answer says how many will be sent.
 */
export async function resendMissed(
  { db, deliveries }: ResendParts,
  webhook: { id: string; accountId: string; url: string },
  missed: readonly { id: string; attempts: number }[],
): Promise<number> {
  const { accountId, url } = webhook
  let enteredCount = 0
  for (let start = 0; start < missed.length; start += resentAtOnceMax) {
    const entered = await db.transaction([
      lockWebhook(webhook),
      ...missed.slice(start, start + resentAtOnceMax).map(({ id, attempts }) => {
        const entry = {
          id: `recover ${id}`,
          workId: id,
          accountId,
          concurrencyKey: destinationOf(url),
        }
        return deliveries.enqueueReadyIf(entry, isStillMissed({ id, accountId, attempts }))
      }),
    ])
    enteredCount += entered.slice(1).flat().length
    deliveries.wake()
  }
  return enteredCount
}

const resentAtOnceMax = 200
