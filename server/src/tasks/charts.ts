import { type Activity, addActivity, noActivity } from '../domain/task/activity.ts'
import { chooseSeries, type SeriesPeriod, toSeries } from '../domain/task/time-series.ts'
import type { DayPeriod } from '../domain/task/usage-statistics.ts'
import { listHosts, listMinutes } from '../storage/activity-rollups-tables.ts'
import type { Database } from '../storage/database.ts'
import { parseActivities } from './parse-activities.ts'

export interface HostActivity {
  host: string
  activity: Activity
  /** The days on which it had any, in order. */
  days: { utcDay: number; activity: Activity }[]
}

export type Charts = ReturnType<typeof createCharts>

/** What charts are drawn from: rollups, never the tasks themselves. */
export const createCharts = (db: Database) => ({
  chooseSeries: (asked: Parameters<typeof chooseSeries>[0]) => chooseSeries(asked, db.nowMs()),

  async series(accountId: string, period: SeriesPeriod) {
    const minutes = await db.run(listMinutes({ accountId, ...period }))
    return toSeries(await parseActivities(minutes), period)
  },

  /** The hosts that the account's tasks asked in these days, the busiest first. */
  async hosts(accountId: string, period: DayPeriod): Promise<HostActivity[]> {
    const byHost = Map.groupBy(
      await parseActivities(await db.run(listHosts({ accountId, ...period }))),
      ({ host }) => host,
    )
    return [...byHost]
      .map(([host, rows]) => ({ host, activity: sumOf(rows), days: byDay(rows) }))
      .sort((one, other) => endedCount(other) - endedCount(one) || (one.host < other.host ? -1 : 1))
  },
})

const endedCount = ({ activity }: HostActivity): number => activity.completed + activity.failed

const byDay = (rows: readonly { utcDay: number; activity: Activity }[]): HostActivity['days'] =>
  [...Map.groupBy(rows, ({ utcDay }) => utcDay)]
    .map(([utcDay, ofDay]) => ({ utcDay, activity: sumOf(ofDay) }))
    .sort((one, other) => one.utcDay - other.utcDay)

function sumOf(rows: readonly { activity: Activity }[]): Activity {
  const sum = noActivity()
  for (const { activity } of rows) addActivity(sum, activity)
  return sum
}
