import type { Lane } from '../domain/lane.ts'
import { type Statement, skipLocked, sql } from './statement.ts'

/** Something to be done: a task to run or a delivery to send. */
export interface NewEntry {
  id: string
  lane: Lane
  workId: string
  accountId: string
  /** Entries with the same gate share its slots. */
  gate?: string | undefined
  /** The process in which a caller waits for the outcome, and how long it is taken at its word. */
  awaited?: { by: string; untilMs: number } | undefined
}

/** Who holds an entry: a process, for a while, under a number that no later holder has. */
export interface LeaseTerms {
  leasedBy: string
  leasedUntilMs: number
  nowMs: number
}

/** An entry as its holder knows it. */
export interface ClaimedEntry {
  id: string
  workId: string
  accountId: string
  gate: string | undefined
  /** Its place in line; a claim answers in no order. */
  position: number
  fence: number
  /** How often a process died while it held the entry. */
  crashes: number
  startedAtMs: number
  /** How many of the gate's slots other processes have taken. */
  leasedElsewhere: number
}

/** Begins as held, so that a process with a free slot need not claim what it has just written. */
export const insertLeasedEntry = (entry: NewEntry, lease: LeaseTerms): Statement<never> =>
  sql<never>`
    insert into queue_entries
      (id, lane, work_id, account_id, state, position, gate, leased_by, leased_until_ms, fence,
       crashes, started_at_ms, awaited_by, awaited_until_ms)
    values (${entry.id}, ${entry.lane}, ${entry.workId}, ${entry.accountId}, 'leased', 0,
            ${entry.gate ?? null}, ${lease.leasedBy}, ${lease.leasedUntilMs}, 1, 0, ${lease.nowMs},
            ${entry.awaited?.by ?? null}, ${entry.awaited?.untilMs ?? null})`

/**
 * Start-time fair queueing: an account's next entry comes one after its last, but not before what is
 * first in line now. So whoever has many waiting is passed by whoever has few.
 */
export const insertReadyEntry = (entry: NewEntry): Statement<never> =>
  insertAtEnd(entry, 'ready', endOfReady(entry))

/**
 * Begins as parked, so that nobody claims it in vain while its gate is known to be full. Its place is
 * fair as above, among those at the gate.
 */
export const insertParkedEntry = (entry: NewEntry & { gate: string }): Statement<never> =>
  insertAtEnd(entry, 'parked', endOfParked(entry))

const insertAtEnd = (
  entry: NewEntry,
  state: 'ready' | 'parked',
  position: Statement<unknown>,
): Statement<never> =>
  sql<never>`
    insert into queue_entries
      (id, lane, work_id, account_id, state, position, gate, fence, crashes,
       awaited_by, awaited_until_ms)
    values (${entry.id}, ${entry.lane}, ${entry.workId}, ${entry.accountId}, ${state},
            ${position}, ${entry.gate ?? null}, 0, 0,
            ${entry.awaited?.by ?? null}, ${entry.awaited?.untilMs ?? null})
    on conflict (id) do nothing`

/** Only while the condition holds and it is not there yet; gives a row when it was entered. */
export const insertReadyEntryIf = (
  entry: Omit<NewEntry, 'awaited'>,
  condition: Statement<unknown>,
): Statement<{ id: string }> =>
  sql<{ id: string }>`
    insert into queue_entries
      (id, lane, work_id, account_id, state, position, gate, fence, crashes)
    select ${entry.id}, ${entry.lane}, ${entry.workId}, ${entry.accountId}, 'ready',
           ${endOfReady(entry)}, ${entry.gate ?? null}, 0, 0
    where ${condition}
      and not exists (select 1 from queue_entries where queue_entries.id = ${entry.id})
    on conflict (id) do nothing
    returning id`

const endOfReady = ({ lane, accountId }: Pick<NewEntry, 'lane' | 'accountId'>) =>
  endOfLine(
    sql`lane = ${lane} and state = 'ready'`,
    sql`lane = ${lane} and account_id = ${accountId} and state = 'ready'`,
  )

const endOfParked = ({ lane, accountId, gate }: NewEntry & { gate: string }) =>
  endOfLine(
    sql`state = 'parked' and gate = ${gate}`,
    sql`lane = ${lane} and account_id = ${accountId} and state = 'parked' and gate = ${gate}`,
  )

const endOfLine = (isInLine: Statement<unknown>, isOfAccount: Statement<unknown>) =>
  sql`(select coalesce(max(line.position), 0) + 1
       from (select min(position) as position from queue_entries where ${isInLine}
             union all
             select max(position) as position from queue_entries where ${isOfAccount}) as line)`

/** Takes what is next in line, as one statement: no two processes ever take the same entry. */
export const claimEntries = (
  lane: Lane,
  entriesMax: number,
  lease: LeaseTerms,
): Statement<ClaimedEntry> => claim(sql`lane = ${lane} and state = 'ready'`, entriesMax, lease)

/** The same for those that are parked at a gate which has room again. */
export const claimParkedEntries = (
  gate: string,
  entriesMax: number,
  lease: LeaseTerms,
): Statement<ClaimedEntry> => claim(sql`state = 'parked' and gate = ${gate}`, entriesMax, lease)

const claim = (
  isInLine: Statement<unknown>,
  entriesMax: number,
  lease: LeaseTerms,
): Statement<ClaimedEntry> =>
  sql<ClaimedRow>`
    with next_in_line as materialized (
      select id from queue_entries
      where ${isInLine}
      order by position, id
      limit ${entriesMax}
      ${skipLocked}
    )
    update queue_entries
    set state = 'leased', leased_by = ${lease.leasedBy}, leased_until_ms = ${lease.leasedUntilMs},
        fence = fence + 1, started_at_ms = coalesce(started_at_ms, ${lease.nowMs})
    where id in (select id from next_in_line) and state in ('ready', 'parked')
    returning id, work_id, account_id, gate, position, fence, crashes, started_at_ms,
      (select count(*) from queue_entries as others
       where others.gate = queue_entries.gate and others.state = 'leased'
         and others.leased_by <> ${lease.leasedBy}) as leased_elsewhere`.map(toClaimed)

/** For PostgreSQL, ahead of a claim: a turn lasts until the commit. Any number but another lock's will do. */
export const waitForTurnToClaim = (): Statement<never> =>
  sql<never>`select pg_advisory_xact_lock(7281953047)`

/** Removes what is done; gives a row while the holder is still the holder. */
export const removeEntry = (entry: HeldEntry): Statement<{ id: string }> =>
  sql<{ id: string }>`
    delete from queue_entries
    where id = ${entry.id} and fence = ${entry.fence} and leased_by = ${entry.leasedBy}
    returning id`

export const postponeEntry = (entry: HeldEntry, dueAtMs: number): Statement<{ id: string }> =>
  sql<{ id: string }>`
    update queue_entries
    set state = 'waiting', due_at_ms = ${dueAtMs}, leased_by = null, leased_until_ms = null
    where id = ${entry.id} and fence = ${entry.fence} and leased_by = ${entry.leasedBy}
    returning id`

/**
 * Its gate has no slot free; an entry parked for that loses neither its place nor an attempt. A task
 * of which no attempt was begun is queued as before, and its time does not run.
 */
export const parkEntry = (entry: HeldEntry): Statement<{ id: string }> =>
  sql<{ id: string }>`
    update queue_entries
    set state = 'parked', leased_by = null, leased_until_ms = null,
        started_at_ms = case when lane = 'delivery' or crashes > 0
                               or exists (select 1 from tasks
                                          where tasks.id = queue_entries.work_id
                                            and tasks.attempts > 0)
                             then started_at_ms end
    where id = ${entry.id} and fence = ${entry.fence} and leased_by = ${entry.leasedBy}
    returning id`

// After a long standstill there may be any number; some at a time keep nobody waiting.
const readiedAtOnceMax = 1_000

/**
 * What has waited long enough is next in line; of an account that has many of these, one after the
 * other, or a receiver's outage would put all of one account before all of another.
 */
export const readyDueEntries = (lane: Lane, nowMs: number): Statement<{ id: string }> =>
  sql<{ id: string }>`
    with due as materialized (
      select id as entry_id,
        row_number() over (partition by account_id order by due_at_ms, id) - 1 as place
      from queue_entries
      where id in (select id from queue_entries
                   where lane = ${lane} and state = 'waiting' and due_at_ms <= ${nowMs}
                   order by due_at_ms
                   limit ${readiedAtOnceMax})
    )
    update queue_entries
    set state = 'ready', due_at_ms = null,
        position = due.place
          + coalesce((select min(line.position) from queue_entries as line
                      where line.lane = ${lane} and line.state = 'ready'), 0)
    from due
    where id = due.entry_id and state = 'waiting'
    returning id`

export const renewLeases = (lease: {
  leasedBy: string
  leasedUntilMs: number
}): Statement<{ id: string; fence: number }> =>
  sql<{ id: string; fence: number }>`
    update queue_entries
    set leased_until_ms = ${lease.leasedUntilMs}
    where state = 'leased' and leased_by = ${lease.leasedBy}
    returning id, fence`

export const renewAwaiting = (awaited: { by: string; untilMs: number }): Statement<never> =>
  sql<never>`
    update queue_entries
    set awaited_until_ms = ${awaited.untilMs}
    where awaited_by = ${awaited.by}`

/** Gives back all that the process holds, to be taken by another at once. */
export const releaseLeases = (leasedBy: string): Statement<{ lane: Lane }> =>
  sql<{ lane: Lane }>`
    update queue_entries
    set state = 'ready', leased_by = null, leased_until_ms = null
    where state = 'leased' and leased_by = ${leasedBy}
    returning lane`

/** Gives back one entry that the process holds without knowing what for. */
export const releaseLease = (entry: HeldEntry): Statement<{ lane: Lane }> =>
  sql<{ lane: Lane }>`
    update queue_entries
    set state = 'ready', leased_by = null, leased_until_ms = null
    where id = ${entry.id} and fence = ${entry.fence} and leased_by = ${entry.leasedBy}
    returning lane`

/**
 * Takes back what a process held that no longer renews. A task that was being run is a suspect from
 * then on: suspects of a lane share one slot, so that the one that takes processes down is found.
 */
export const returnLostLeases = (nowMs: number): Statement<{ lane: Lane }> =>
  sql<{ lane: Lane }>`
    update queue_entries
    set state = 'ready', leased_by = null, leased_until_ms = null, crashes = crashes + 1,
        gate = case when lane = 'delivery' then gate else 'suspects ' || lane end
    where state = 'leased' and leased_until_ms < ${nowMs}
    returning lane`

/** Removes what nobody wants any more, whoever holds it. */
export const removeUnwantedEntry = (id: string): Statement<never> =>
  sql<never>`delete from queue_entries where id = ${id}`

/** Removes one entry that nobody holds; whoever holds it will see for himself. */
export const removeIdleEntry = (id: string): Statement<never> =>
  sql<never>`delete from queue_entries where id = ${id} and state <> 'leased'`

/**
 * What a webhook was still to be told when it was paused is next in line again. Nothing else brings
 * these back, so this belongs into the transaction that resumes the webhook.
 */
export const enterHeldBackDeliveries = (webhookId: string, gate: string): Statement<never> =>
  sql<never>`
    insert into queue_entries
      (id, lane, work_id, account_id, state, position, gate, fence, crashes)
    select id, 'delivery', id, account_id, 'ready', 0, ${gate}, 0, 0
    from deliveries
    where webhook_id = ${webhookId} and state = 'pending'
      and not exists (select 1 from queue_entries where queue_entries.id = deliveries.id)`

/** A webhook's new URL is a new destination for what it was still to be told; there may be room. */
export const moveEntriesOfWebhook = (webhookId: string, gate: string): Statement<never> =>
  sql<never>`
    update queue_entries
    set gate = ${gate}, state = case when state = 'parked' then 'ready' else state end
    where lane = 'delivery' and state <> 'leased'
      and work_id in (select id from deliveries
                      where webhook_id = ${webhookId} and state = 'pending')`

export const removeEntriesOfWebhook = (webhookId: string): Statement<never> =>
  sql<never>`
    delete from queue_entries
    where work_id in (select id from deliveries where webhook_id = ${webhookId})`

export interface HeldEntry {
  id: string
  fence: number
  leasedBy: string
}

interface ClaimedRow {
  id: string
  work_id: string
  account_id: string
  gate: string | null
  position: number
  fence: number
  crashes: number
  started_at_ms: number
  leased_elsewhere: number
}

const toClaimed = (row: ClaimedRow): ClaimedEntry => ({
  id: row.id,
  workId: row.work_id,
  accountId: row.account_id,
  gate: row.gate ?? undefined,
  position: row.position,
  fence: row.fence,
  crashes: row.crashes,
  startedAtMs: row.started_at_ms,
  leasedElsewhere: row.leased_elsewhere,
})
