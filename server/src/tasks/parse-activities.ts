import type { Activity } from '../domain/task/activity.ts'
import { Turns } from '../runtime/turns.ts'
import type { StoredActivity } from '../storage/activity-rollups-tables.ts'

/** A month has tens of thousands of rows, and parsing takes about 10 µs each. */
export async function parseActivities<Row extends StoredActivity>(rows: readonly Row[]) {
  const turns = new Turns()
  const parsed: (Omit<Row, 'activity'> & { activity: Activity })[] = []
  for (const { activity, ...row } of rows) {
    if (turns.isOver) await turns.next()
    parsed.push({ ...row, activity: JSON.parse(activity) as Activity })
  }
  return parsed
}
