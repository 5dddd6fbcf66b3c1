/** What the tasks of an account add up to, by UTC day. */
import type { DayTotals } from '../../domain/task/usage-statistics.ts'
import { sql } from '../statement.ts'

/**
 * On PostgreSQL a day of an account has so many rows, and a commit adds to any one of them: commits that
 * change the same row wait for each other, each for the `fsync` of the one before.
 */
export const rollupSlots = 32

export const addToDay = (accountId: string, totals: DayTotals, slot: number) =>
  sql<never>`
    insert into day_rollups
      (account_id, utc_day, slot, completed_count, failed_count, duration_ms, tokens)
    values (${accountId}, ${totals.utcDay}, ${slot}, ${totals.completedCount},
            ${totals.failedCount}, ${totals.durationMs}, ${totals.tokens})
    on conflict (account_id, utc_day, slot) do update
    set completed_count = day_rollups.completed_count + excluded.completed_count,
        failed_count = day_rollups.failed_count + excluded.failed_count,
        duration_ms = day_rollups.duration_ms + excluded.duration_ms,
        tokens = day_rollups.tokens + excluded.tokens`

/** The totals of the days, both ends included, that have any; in order. */
export const listDays = (asked: { accountId: string; firstDay: number; lastDay: number }) =>
  sql<DayTotals>`
    select utc_day as "utcDay", sum(completed_count) as "completedCount",
           sum(failed_count) as "failedCount", sum(duration_ms) as "durationMs",
           sum(tokens) as tokens
    from day_rollups
    where account_id = ${asked.accountId}
      and utc_day between ${asked.firstDay} and ${asked.lastDay}
    group by utc_day
    order by utc_day`.slow()

export const pruneDays = (beforeDay: number) =>
  sql<never>`delete from day_rollups where utc_day < ${beforeDay}`
