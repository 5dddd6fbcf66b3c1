/**
 * The queue's table: entries are inserted, claimed under a lease, settled, postponed, or returned when a
 * lease runs out. The reads are in `queue-queries.ts`.
 */
import { type FlowMembers, flowName, suspicionMark } from '../../domain/task/flow.ts'
import type { Lane } from '../../domain/task/lane.ts'
import { type Statement, skipLocked, sql } from '../statement.ts'

/** A task to run or a delivery to send. */
export interface NewEntry extends FlowMembers {
  id: string
  lane: Lane
  workId: string
  awaited?: Awaited | undefined
}

/** The process in which a caller waits for the outcome, and until when that holds unless renewed. */
export interface Awaited {
  by: string
  untilMs: number
}

/** Which process holds an entry, and until when unless it renews the lease. */
export interface LeaseTerms {
  leasedBy: string
  leasedUntilMs: number
  nowMs: number
}

/** Callers at other processes are silent if their waiting has not been renewed beyond this time. */
export interface SilenceTerms {
  processId: string
  silentUntilMs: number
}

/** Whether nobody is known to wait any more for work that a caller waited for. */
export const isCallerSilent = ({ processId, silentUntilMs }: SilenceTerms) =>
  sql`(awaited_by is not null and awaited_by <> ${processId}
       and awaited_until_ms <= ${silentUntilMs})`

/** A leased entry. `fence` is its fencing token: each claim raises it, and every later write names it. */
export interface ClaimedEntry {
  id: string
  workId: string
  accountId: string
  flow: string
  concurrencyKey: string | undefined
  fence: number
  /** How often a process died while it held the entry. */
  crashes: number
  startedAtMs: number
  /** It is not to be begun. */
  isCallerSilent: boolean
}

/** Inserts the entry as leased, so that a process with a free slot need not claim its own entry. */
export const insertLeasedEntry = (entry: NewEntry, lease: LeaseTerms) =>
  sql<never>`
    insert into queue_entries
      (id, lane, work_id, account_id, flow, concurrency_key, state, leased_by, leased_until_ms,
       fence, crashes, started_at_ms, awaited_by, awaited_until_ms)
    values (${entry.id}, ${entry.lane}, ${entry.workId}, ${entry.accountId}, ${flowName(entry)},
            ${entry.concurrencyKey ?? null}, 'leased', ${lease.leasedBy}, ${lease.leasedUntilMs}, 1,
            0, ${lease.nowMs}, ${entry.awaited?.by ?? null}, ${entry.awaited?.untilMs ?? null})`

export const insertReadyEntry = (entry: NewEntry) =>
  sql<never>`
    insert into queue_entries
      (id, lane, work_id, account_id, flow, concurrency_key, state, fence, crashes,
       awaited_by, awaited_until_ms)
    values (${entry.id}, ${entry.lane}, ${entry.workId}, ${entry.accountId}, ${flowName(entry)},
            ${entry.concurrencyKey ?? null}, 'ready', 0, 0,
            ${entry.awaited?.by ?? null}, ${entry.awaited?.untilMs ?? null})
    on conflict (id) do nothing`

/** Inserts the entry only if the condition holds and it does not exist; returns a row if it did. */
export const insertReadyEntryIf = (
  entry: Omit<NewEntry, 'awaited'>,
  condition: Statement<unknown>,
) =>
  sql<{ id: string }>`
    insert into queue_entries
      (id, lane, work_id, account_id, flow, concurrency_key, state, fence, crashes)
    select ${entry.id}, ${entry.lane}, ${entry.workId}, ${entry.accountId}, ${flowName(entry)},
           ${entry.concurrencyKey ?? null}, 'ready', 0, 0
    where ${condition}
      and not exists (select 1 from queue_entries where queue_entries.id = ${entry.id})
    on conflict (id) do nothing
    returning id`

export interface Claim {
  lane: Lane
  flow: string
  entriesMax: number
}

/** Claims the oldest entries of a flow in one statement: no two processes ever claim the same entry. */
export const claimEntries = (
  { lane, flow, entriesMax }: Claim,
  lease: LeaseTerms,
  silence: SilenceTerms,
): Statement<ClaimedEntry> => claim({ lane, flow }, sql`${entriesMax}`, lease, silence)

/** How many entries of a key may be leased at once: by all accounts, and by the one that claims. */
export interface ClaimLimit {
  concurrencyKey: string
  accountId: string
  max: number
  accountMax: number
}

/**
 * The same, but never exceeds the concurrency limits of the key, counted over all processes. It does not
 * see concurrent claims, so `lockConcurrencyKey` must precede it in the transaction.
 */
export const claimEntriesWithin = (
  { lane, flow, entriesMax }: Claim,
  limit: ClaimLimit,
  lease: LeaseTerms,
  silence: SilenceTerms,
): Statement<ClaimedEntry> =>
  claim(
    { lane, flow },
    sql`(select case when free < 0 or free_for_account < 0 then 0
                     when free < ${entriesMax} and free < free_for_account then free
                     when free_for_account < ${entriesMax} then free_for_account
                     else ${entriesMax} end
         from (select ${limit.max} - count(*) as free,
                 ${limit.accountMax} - count(case when account_id = ${limit.accountId} then 1 end)
                   as free_for_account
               from queue_entries
               where concurrency_key = ${limit.concurrencyKey} and state = 'leased') as slots)`,
    lease,
    silence,
  )

const claim = (
  { lane, flow }: { lane: Lane; flow: string },
  entriesMax: Statement<unknown>,
  lease: LeaseTerms,
  silence: SilenceTerms,
): Statement<ClaimedEntry> =>
  sql<ClaimedRow>`
    with oldest as materialized (
      select id from queue_entries
      where lane = ${lane} and flow = ${flow} and state = 'ready'
      order by id
      limit ${entriesMax}
      ${skipLocked}
    )
    update queue_entries
    set state = 'leased', leased_by = ${lease.leasedBy}, leased_until_ms = ${lease.leasedUntilMs},
        fence = fence + 1, started_at_ms = case when ${isCallerSilent(silence)} then started_at_ms
                                                else coalesce(started_at_ms, ${lease.nowMs}) end
    where id in (select id from oldest) and state = 'ready'
    returning id, work_id as "workId", account_id as "accountId", flow, fence, crashes,
              concurrency_key as "concurrencyKey",
              coalesce(started_at_ms, ${lease.nowMs}) as "startedAtMs",
              case when ${isCallerSilent(silence)} then 1 else 0 end as "isCallerSilent"`.map(
    toClaimed,
  )

/** An advisory lock of PostgreSQL, held until the commit; serialises the claims of one key. */
export const lockConcurrencyKey = (key: string) =>
  sql<never>`select pg_advisory_xact_lock(hashtextextended(${key}, 7281953047))`

/** Removes a finished entry; returns no row if the lease was lost. */
export const removeEntry = (entry: FencedEntry) =>
  sql<{ id: string }>`
    delete from queue_entries
    where id = ${entry.id} and fence = ${entry.fence} and leased_by = ${entry.leasedBy}
    returning id`

export const postponeEntry = (entry: FencedEntry, dueAtMs: number) =>
  sql<{ id: string }>`
    update queue_entries
    set state = 'scheduled', due_at_ms = ${dueAtMs}, leased_by = null, leased_until_ms = null
    where id = ${entry.id} and fence = ${entry.fence} and leased_by = ${entry.leasedBy}
    returning id`

/** Locks the entry until the commit; returns no row if the lease was lost. */
export const lockEntry = (entry: FencedEntry) =>
  sql<{ id: string }>`
    update queue_entries
    set leased_by = leased_by
    where id = ${entry.id} and fence = ${entry.fence} and leased_by = ${entry.leasedBy}
    returning id`

/** Where an entry goes whose work continues in another lane. */
export interface EntryMove {
  lane: Lane
  flow: string
  concurrencyKey: string | undefined
  /** Whether its time runs already. */
  isStarted: boolean
}

/** Releases the entry into another lane, where it is ready at once; it keeps its crashes. */
export const moveEntry = (entry: FencedEntry, to: EntryMove) =>
  sql<{ id: string }>`
    update queue_entries
    set lane = ${to.lane}, flow = ${to.flow}, concurrency_key = ${to.concurrencyKey ?? null},
        state = 'ready', leased_by = null, leased_until_ms = null,
        started_at_ms = case when ${to.isStarted ? 1 : 0} = 1 then started_at_ms end
    where id = ${entry.id} and fence = ${entry.fence} and leased_by = ${entry.leasedBy}
    returning id`

// After a long outage any number may be due; a bounded batch does not block other writers for long.
const readiedAtOnceMax = 1_000

/** Entries whose callers are silent stay as they are until they are heard again, or given up. */
export const readyDueEntries = (lane: Lane, nowMs: number, silence: SilenceTerms) =>
  sql<{ flow: string }>`
    update queue_entries
    set state = 'ready', due_at_ms = null
    where id in (select id from queue_entries
                 where lane = ${lane} and state = 'scheduled' and due_at_ms <= ${nowMs}
                   and not ${isCallerSilent(silence)}
                 order by due_at_ms
                 limit ${readiedAtOnceMax})
      and state = 'scheduled'
    returning flow`

export const renewLeases = (lease: { leasedBy: string; leasedUntilMs: number }) =>
  sql<{ id: string; fence: number }>`
    update queue_entries
    set leased_until_ms = ${lease.leasedUntilMs}
    where state = 'leased' and leased_by = ${lease.leasedBy}
    returning id, fence`

export const renewAwaiting = (awaited: Awaited) =>
  sql<never>`
    update queue_entries
    set awaited_until_ms = ${awaited.untilMs}
    where awaited_by = ${awaited.by}`

/** Releases all entries that the process holds; other processes can claim them at once. */
export const releaseLeases = (leasedBy: string) =>
  sql<ReturnedEntry>`
    update queue_entries
    set state = 'ready', leased_by = null, leased_until_ms = null
    where state = 'leased' and leased_by = ${leasedBy}
    returning lane, flow`

/** Releases one entry, if the lease is still held. */
export const releaseLease = (entry: FencedEntry) =>
  sql<ReturnedEntry>`
    update queue_entries
    set state = 'ready', leased_by = null, leased_until_ms = null
    where id = ${entry.id} and fence = ${entry.fence} and leased_by = ${entry.leasedBy}
    returning lane, flow`

/**
 * Returns the entries of processes whose heartbeat stopped to the queue. A task that was running may be
 * a poison task, so its flow has a mark for each crash, and lanes run marked flows with care. A task that
 * has crashed too often loses its marks: it is only ended.
 */
export const returnLostLeases = (nowMs: number) =>
  sql<ReturnedEntry>`
    update queue_entries
    set state = 'ready', leased_by = null, leased_until_ms = null, crashes = crashes + 1,
        crashed_by = leased_by, flow = ${flowAfter(sql`crashes + 1`)}
    where state = 'leased' and leased_until_ms < ${nowMs}
    returning lane, flow`

/**
 * Shortens leases that end too far ahead for any lease, because the store's clock was set back. A process
 * that lives renews its own in time, whatever its clock says; the others run out.
 */
export const shortenLeases = (far: { beyondMs: number; toMs: number }) =>
  sql<never>`
    update queue_entries
    set leased_until_ms = ${far.toMs}
    where state = 'leased' and leased_until_ms > ${far.beyondMs}`

/** The same for callers who wait at other processes than the given one. */
export const shortenAwaiting = (far: { notBy: string; beyondMs: number; toMs: number }) =>
  sql<never>`
    update queue_entries
    set awaited_until_ms = ${far.toMs}
    where awaited_by is not null and awaited_by <> ${far.notBy}
      and awaited_until_ms > ${far.beyondMs}`

/**
 * Makes entries due now that are scheduled later than any pause of their lane can end, because the store's
 * clock was set back.
 */
export const shortenPauses = (lane: Lane, far: { beyondMs: number; toMs: number }) =>
  sql<never>`
    update queue_entries
    set due_at_ms = ${far.toMs}
    where lane = ${lane} and state = 'scheduled' and due_at_ms > ${far.beyondMs}`

/**
 * Takes back the crashes that were counted for a process that lives: it only could not renew its leases,
 * because it was cut off from the store or stood still.
 */
export const takeBackCrashes = (processId: string) =>
  sql<ReturnedEntry>`
    update queue_entries
    set crashes = crashes - 1, crashed_by = null, flow = ${flowAfter(sql`crashes - 1`)}
    where crashed_by = ${processId}
    returning lane, flow`

/** A delivery runs nothing that a stranger wrote, so it is never suspected. */
const flowAfter = (crashes: Statement<unknown>) => sql`
  case when lane = 'delivery' then flow
       else account_id || '/'
            || case ${crashes} when 1 then ${suspicionMark} when 2 then ${suspicionMark.repeat(2)}
                               else '' end
            || ltrim(substr(flow, length(account_id) + 2), ${suspicionMark}) end`

export interface ReturnedEntry {
  lane: Lane
  flow: string
}

/** Removes a cancelled entry, even if a process holds it. */
export const removeUnwantedEntry = (id: string) =>
  sql<never>`delete from queue_entries where id = ${id}`

/** Removes the entry unless it is leased; a holder notices by itself that the work is moot. */
export const removeIdleEntry = (id: string) =>
  sql<never>`delete from queue_entries where id = ${id} and state <> 'leased'`

/** Lets an entry count for another concurrency key, unless it is leased. */
export const rekeyIdleEntry = (
  id: string,
  { accountId, concurrencyKey }: { accountId: string; concurrencyKey: string },
) =>
  sql<never>`
    update queue_entries
    set concurrency_key = ${concurrencyKey}, flow = ${flowName({ accountId, concurrencyKey })}
    where id = ${id} and state <> 'leased'`

export interface FencedEntry {
  id: string
  fence: number
  leasedBy: string
}

interface ClaimedRow extends Omit<ClaimedEntry, 'concurrencyKey' | 'isCallerSilent'> {
  concurrencyKey: string | null
  isCallerSilent: number
}

const toClaimed = (row: ClaimedRow): ClaimedEntry => ({
  ...row,
  concurrencyKey: row.concurrencyKey ?? undefined,
  isCallerSilent: row.isCallerSilent === 1,
})
