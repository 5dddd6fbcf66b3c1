import type { Lane } from '../domain/lane.ts'
import { type Statement, sql } from './statement.ts'

export const findReady = (lane: Lane): Statement<{ id: string }> =>
  sql<{ id: string }>`
    select id from queue_entries where lane = ${lane} and state = 'ready' order by position limit 1`

export const findParkedAt = (gate: string): Statement<{ id: string }> =>
  sql<{ id: string }>`
    select id from queue_entries where state = 'parked' and gate = ${gate} order by position limit 1`

/** Gates beyond these are for the next time. */
export const gatesListedMax = 1_000

/**
 * Where something is parked, in the order of the gates' names after the given one. From gate to gate,
 * lest all that is parked at one is read.
 */
export const listParkedGates = (after: string): Statement<{ lane: Lane; gate: string }> =>
  sql<{ lane: Lane; gate: string }>`
    with recursive gates (gate) as (
      select min(gate) from queue_entries where state = 'parked' and gate > ${after}
      union all
      select (select min(next.gate) from queue_entries as next
              where next.state = 'parked' and next.gate > gates.gate)
      from gates where gates.gate is not null
    )
    select gate,
      (select lane from queue_entries as parked
       where parked.state = 'parked' and parked.gate = gates.gate limit 1) as lane
    from gates where gate is not null
    limit ${gatesListedMax}`

export const nextDueAt = (lane: Lane): Statement<number> =>
  sql<{ due_at_ms: number | null }>`
    select min(due_at_ms) as due_at_ms from queue_entries
    where lane = ${lane} and state = 'waiting'`.map(
    ({ due_at_ms }) => due_at_ms ?? Number.POSITIVE_INFINITY,
  )

/** Work whose caller is gone with its process. */
export const listAbandonedWork = (nowMs: number): Statement<{ work_id: string }> =>
  sql<{ work_id: string }>`
    select work_id from queue_entries
    where awaited_by is not null and awaited_until_ms < ${nowMs}`

/** What callers of the process wait for and nobody works on now. */
export const listUnbegunAwaited = (awaitedBy: string): Statement<{ work_id: string }> =>
  sql<{ work_id: string }>`
    select work_id from queue_entries
    where awaited_by = ${awaitedBy} and state <> 'leased'`

export interface EntryCount {
  lane: Lane
  accountId: string
  isRunning: boolean
  count: number
}

/**
 * How much there is to be done. Each part is answered by one of the small indexes: with 200,000 entries
 * in line it takes a tenth of what counting the table does.
 */
export const countEntries = (): Statement<EntryCount> =>
  sql<{ lane: Lane; account_id: string; is_running: number; entry_count: number }>`
    select lane, account_id, 0 as is_running, count(*) as entry_count
    from queue_entries where state = 'ready' group by lane, account_id
    union all
    select lane, account_id, 1, count(*)
    from queue_entries where state = 'leased' group by lane, account_id
    union all
    select lane, account_id, 0, count(*)
    from queue_entries where state = 'waiting' group by lane, account_id
    union all
    select lane, account_id, 0, count(*)
    from queue_entries where state = 'parked' group by lane, account_id`.map(
    ({ lane, account_id, is_running, entry_count }) => ({
      lane,
      accountId: account_id,
      isRunning: is_running === 1,
      count: entry_count,
    }),
  )

/** Of those that nobody has begun, the one whose turn is next. */
export const firstInLine = (lane: Lane): Statement<{ id: string }> =>
  sql<{ id: string }>`
    select id from queue_entries
    where lane = ${lane} and state = 'ready' and fence = 0
    order by position, id
    limit 1`
