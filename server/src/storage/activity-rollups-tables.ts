/** What ended tasks of an account add up to, by minute and by host and UTC day. */
import type { Activity } from '../domain/task/activity.ts'
import { type Statement, sql } from './statement.ts'

export const putMinute = (row: {
  accountId: string
  utcMinute: number
  segment: string
  activity: Activity
}): Statement<never> =>
  sql<never>`
    insert into minute_rollups (account_id, utc_minute, segment, activity)
    values (${row.accountId}, ${row.utcMinute}, ${row.segment}, ${JSON.stringify(row.activity)})
    on conflict (account_id, utc_minute, segment) do update set activity = excluded.activity`

export const putHost = (row: {
  accountId: string
  utcDay: number
  host: string
  segment: string
  activity: Activity
}): Statement<never> =>
  sql<never>`
    insert into host_rollups (account_id, utc_day, host, segment, activity)
    values (${row.accountId}, ${row.utcDay}, ${row.host}, ${row.segment}, ${JSON.stringify(row.activity)})
    on conflict (account_id, utc_day, host, segment) do update set activity = excluded.activity`

/** As it is stored: parsing many takes too long to do it at once. */
export interface StoredActivity {
  activity: string
}

/** The segments of the minutes, both ends included, in order. */
export const listMinutes = (asked: {
  accountId: string
  firstMinute: number
  lastMinute: number
}): Statement<StoredActivity & { utcMinute: number }> =>
  sql<StoredActivity & { utcMinute: number }>`
    select utc_minute as "utcMinute", activity
    from minute_rollups
    where account_id = ${asked.accountId}
      and utc_minute between ${asked.firstMinute} and ${asked.lastMinute}
    order by utc_minute`.slow()

/** The segments of the days, both ends included. */
export const listHosts = (asked: {
  accountId: string
  firstDay: number
  lastDay: number
}): Statement<StoredActivity & { utcDay: number; host: string }> =>
  sql<StoredActivity & { utcDay: number; host: string }>`
    select utc_day as "utcDay", host, activity
    from host_rollups
    where account_id = ${asked.accountId}
      and utc_day between ${asked.firstDay} and ${asked.lastDay}`.slow()

export const pruneMinutes = (beforeMinute: number): Statement<never> =>
  sql<never>`delete from minute_rollups where utc_minute < ${beforeMinute}`

export const pruneHostDays = (beforeDay: number): Statement<never> =>
  sql<never>`delete from host_rollups where utc_day < ${beforeDay}`
