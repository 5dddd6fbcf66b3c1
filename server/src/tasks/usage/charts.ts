import { type Activity, addActivity, noActivity } from '../../domain/task/activity.ts'
import {
  addToSeries,
  chooseSeries,
  emptySeries,
  type SeriesPeriod,
} from '../../domain/task/time-series.ts'
import type { DayPeriod } from '../../domain/task/usage-statistics.ts'
import type { Database } from '../../storage/database.ts'
import {
  type HostRow,
  listHosts,
  listMinutes,
  type MinuteRow,
} from '../../storage/tables/activity-rollups.ts'

export interface HostActivity {
  host: string
  activity: Activity
  /** The days on which it had any, in order. */
  days: { utcDay: number; completed: number; failed: number }[]
}

export type Charts = ReturnType<typeof createCharts>

// Parsing and adding them takes about a millisecond of the event loop.
const rowsAtOnce = 100

/** What charts are drawn from: rollups, never the tasks themselves. */
export const createCharts = (db: Database) => ({
  chooseSeries: (asked: Parameters<typeof chooseSeries>[0]) => chooseSeries(asked, db.nowMs()),

  async series(accountId: string, period: SeriesPeriod) {
    const points = emptySeries(period)
    for await (const minutes of inParts<MinuteRow>((from) =>
      db.run(listMinutes({ accountId, ...period }, from)),
    )) {
      addToSeries(points, minutes, period)
    }
    return points
  },

  /** The hosts that the account's tasks asked in these days, the busiest first. */
  async hosts(accountId: string, period: DayPeriod): Promise<HostActivity[]> {
    const hosts = new Map<string, HostActivity>()
    for await (const rows of inParts<HostRow>((from) =>
      db.run(listHosts({ accountId, ...period }, from)),
    )) {
      for (const row of rows) addToHosts(hosts, row)
    }
    return [...hosts.values()].sort(
      (one, other) => endedCount(other) - endedCount(one) || (one.host < other.host ? -1 : 1),
    )
  },
})

/** So many rows at a time: all of a month may be tens of thousands, and others have their turns in between. */
async function* inParts<Row>(
  read: (from: { after: Row | undefined; limit: number }) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let after: Row | undefined
  for (;;) {
    const rows = await read({ after, limit: rowsAtOnce })
    yield rows
    if (rows.length < rowsAtOnce) return
    after = rows.at(-1)
  }
}

const endedCount = ({ activity }: HostActivity): number => activity.completed + activity.failed

/** Rows come in the order of their days. */
function addToHosts(hosts: Map<string, HostActivity>, { host, utcDay, activity }: HostRow): void {
  const ofHost = hosts.get(host) ?? { host, activity: noActivity(), days: [] }
  hosts.set(host, ofHost)
  addActivity(ofHost.activity, activity)
  const { completed, failed } = activity
  const day = ofHost.days.at(-1)
  if (day?.utcDay === utcDay) {
    day.completed += completed
    day.failed += failed
  } else ofHost.days.push({ utcDay, completed, failed })
}
