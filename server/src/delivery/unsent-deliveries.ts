/**
 * What a change of a webhook means for its deliveries that are still to be sent. The webhook itself is
 * changed first, in a commit of its own, and the sender reads it at each attempt: the new URL, the end of
 * the pause or the deletion holds for all of them at once. The steps after it may stop anywhere:
 * - an entry that was not moved counts for the old destination, and is sent to the new URL;
 * - a delivery that got no entry after a pause is found by the sweep for work without one;
 * - an entry of a deleted webhook is dropped by the sender, which skips the delivery.
 */
import type { LaneProducer } from '../queue/queue.ts'
import type { Database } from '../storage/database.ts'
import type { Statement } from '../storage/statement.ts'
import {
  isPending,
  listUnsentOfWebhook,
  skipDelivery,
  type UnsentDelivery,
} from '../storage/tables/deliveries.ts'
import { rekeyIdleEntry, removeUnwantedEntry } from '../storage/tables/queue-entries.ts'

interface Destination {
  accountId: string
  concurrencyKey: string
}

/** Other writers wait for each transaction, so what concerns many deliveries is written in several. */
const stepMax = 100

export function* inSteps<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let start = 0; start < rows.length; start += stepMax)
    yield rows.slice(start, start + stepMax)
}

/** Carries out the statements for every unsent delivery of the webhook. */
export async function changeUnsent(
  db: Database,
  webhookId: string,
  planFor: (delivery: UnsentDelivery) => Statement<unknown>[],
): Promise<void> {
  const unsent = await db.run(listUnsentOfWebhook(webhookId))
  for (const step of inSteps(unsent)) await db.transaction(step.flatMap(planFor))
}

/** After a change of the webhook's URL, what waits counts for the new destination. */
export const planMove = ({ entryId }: UnsentDelivery, to: Destination): Statement<unknown>[] =>
  entryId === null ? [] : [rekeyIdleEntry(entryId, to)]

/** A delivery that was held while the webhook was paused goes on with its schedule. */
export const planResumption = (
  deliveries: LaneProducer<never>,
  { id }: UnsentDelivery,
  to: Destination,
): Statement<unknown>[] => [deliveries.enqueueReadyIf({ id, workId: id, ...to }, isPending(id))]

/** A deleted webhook gets no more deliveries, not even one that is being sent. */
export const planSkip = ({ id, entryId }: UnsentDelivery, nowMs: number): Statement<unknown>[] => [
  ...(entryId === null ? [] : [removeUnwantedEntry(entryId)]),
  skipDelivery(id, nowMs),
]
