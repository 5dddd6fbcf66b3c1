/** What ended tasks of an account add up to, by minute and by host and UTC day. */
import type { Activity } from '../../domain/task/activity.ts'
import { type Statement, sql } from '../statement.ts'

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

export interface MinuteRow {
  utcMinute: number
  segment: string
  activity: Activity
}

/** The segments of the minutes, both ends included, in order, from one on. */
export const listMinutes = (
  asked: { accountId: string; firstMinute: number; lastMinute: number },
  { after, limit }: { after: MinuteRow | undefined; limit: number },
): Statement<MinuteRow> => {
  const isAfter = after
    ? sql`(utc_minute, segment) > (${after.utcMinute}, ${after.segment})`
    : sql`utc_minute >= ${asked.firstMinute}`
  return sql<Stored<MinuteRow>>`
    select utc_minute as "utcMinute", segment, activity
    from minute_rollups
    where account_id = ${asked.accountId} and ${isAfter} and utc_minute <= ${asked.lastMinute}
    order by utc_minute, segment
    limit ${limit}`
    .map(parse)
    .slow()
}

export interface HostRow {
  utcDay: number
  host: string
  segment: string
  activity: Activity
}

/** The segments of the days, both ends included, in order, from one on. */
export const listHosts = (
  asked: { accountId: string; firstDay: number; lastDay: number },
  { after, limit }: { after: HostRow | undefined; limit: number },
): Statement<HostRow> => {
  const isAfter = after
    ? sql`(utc_day, host, segment) > (${after.utcDay}, ${after.host}, ${after.segment})`
    : sql`utc_day >= ${asked.firstDay}`
  return sql<Stored<HostRow>>`
    select utc_day as "utcDay", host, segment, activity
    from host_rollups
    where account_id = ${asked.accountId} and ${isAfter} and utc_day <= ${asked.lastDay}
    order by utc_day, host, segment
    limit ${limit}`
    .map(parse)
    .slow()
}

type Stored<Row extends { activity: Activity }> = Omit<Row, 'activity'> & { activity: string }

const parse = <Row extends { activity: string }>(row: Row) => ({
  ...row,
  activity: JSON.parse(row.activity) as Activity,
})

export const pruneMinutes = (beforeMinute: number): Statement<never> =>
  sql<never>`delete from minute_rollups where utc_minute < ${beforeMinute}`

export const pruneHostDays = (beforeDay: number): Statement<never> =>
  sql<never>`delete from host_rollups where utc_day < ${beforeDay}`
