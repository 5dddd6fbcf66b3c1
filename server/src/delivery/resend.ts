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

/**
 * Sends deliveries once more, beside their schedules. An entry that goes by the delivery's own id is
 * its schedule; these have ids of their own. `onceKey` makes the same wish, repeated, one entry.
 */
export async function resend(
  { db, deliveries }: ResendParts,
  duties: readonly Duty[],
  onceKey?: string,
): Promise<void> {
  if (duties.length === 0) return
  const statements = duties.map(({ id, accountId, url }) => {
    const entryId = onceKey === undefined ? sortableId() : `${onceKey} ${id}`
    return deliveries.enterReady({ id: entryId, workId: id, accountId, gate: destinationOf(url) })
  })
  await db.transaction(statements)
  deliveries.wake()
}
