import { destinationOf } from '../domain/delivery.ts'
import type { LaneDoor } from '../queue/queue.ts'
import { sortableId } from '../runtime/sortable-id.ts'
import type { Database } from '../storage/database.ts'
import type { HandedDelivery } from './outbox.ts'

export interface ResendParts {
  db: Database
  deliveries: LaneDoor<HandedDelivery>
}

interface Duty {
  id: string
  accountId: string
  url: string
}

/** Sends deliveries once more, beside their schedules. */
export const resend = (parts: ResendParts, duties: readonly Duty[]): Promise<void> =>
  enterAll(parts, duties, { isScheduled: false })

/**
 * An entry that goes by the delivery's own id is its schedule, of which there can be only one; any
 * other is a try beside it.
 */
export async function enterAll(
  { db, deliveries }: ResendParts,
  duties: readonly Duty[],
  { isScheduled }: { isScheduled: boolean },
): Promise<void> {
  if (duties.length === 0) return
  const statements = duties.map(({ id, accountId, url }) => {
    const entryId = isScheduled ? id : sortableId()
    return deliveries.enterReady({ id: entryId, workId: id, accountId, gate: destinationOf(url) })
  })
  await db.transaction(statements)
  deliveries.wake()
}
