import {
  choosePeriod,
  type DayPeriod,
  previousPeriod,
  summarize,
} from '../../domain/task/usage-statistics.ts'
import type { Depths } from '../../queue/depths.ts'
import type { Database } from '../../storage/database.ts'
import { countRunningTasks } from '../../storage/queries/queue.ts'
import { listDays } from '../../storage/tables/day-rollups.ts'
import { sumTaskSlots } from '../../storage/tables/lane-workers.ts'

export type Usage = ReturnType<typeof createUsage>

/** How much an account has used the service, and how much of it at this moment. */
export function createUsage(parts: {
  db: Database
  depths: Pick<Depths, 'begunOf'>
  accountRunningMax: number | undefined
}) {
  const { db, depths, accountRunningMax } = parts
  return {
    choosePeriod: (asked: Parameters<typeof choosePeriod>[0]) => choosePeriod(asked, db.nowMs()),

    async statistics(accountId: string, period: DayPeriod) {
      const { firstDay } = previousPeriod(period)
      const totals = await db.run(listDays({ accountId, firstDay, lastDay: period.lastDay }))
      return summarize(totals, period)
    },

    /** The account's running tasks in all processes, and how many there may be. */
    async concurrency(accountId: string) {
      const [[writtenCount = 0], [slots = 0]] = await db.transaction([
        countRunningTasks(accountId),
        sumTaskSlots(db.nowMs()),
      ] as const)
      const runningCount = writtenCount + depths.begunOf(accountId)
      return { runningCount, runningMax: accountRunningMax ?? slots }
    },
  }
}
