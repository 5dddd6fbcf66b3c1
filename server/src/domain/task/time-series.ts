import { utcMinuteOf } from '../utc-time.ts'
import { type Activity, addActivity, noActivity } from './activity.ts'

/** Whole minutes, both ends included, in steps of equal length. */
export interface SeriesPeriod {
  firstMinute: number
  lastMinute: number
  stepMinutes: number
}

/** Rollups by minute are kept so long. */
export const minutesKeptMs = 8 * 86_400_000
const minutesMax = 7 * 24 * 60
const minutesByDefault = 60
const pointsMax = 1_500
const pointsByDefaultMax = 300
/** Steps that a person can read off an axis. */
const readableSteps = [1, 5, 15, 60, 240, 1440]

type SeriesFault = 'ends before it starts' | 'is longer than 7 days' | 'has more than 1500 steps'

/** The minutes that the period touches: the last hour if no date is given. The last step may be shorter. */
export function chooseSeries(
  asked: {
    startMs?: number | undefined
    endMs?: number | undefined
    stepMinutes?: number | undefined
  },
  nowMs: number,
): SeriesPeriod | { fault: SeriesFault } {
  const lastMinute = utcMinuteOf(asked.endMs ?? nowMs)
  const firstMinute =
    asked.startMs === undefined ? lastMinute - minutesByDefault + 1 : utcMinuteOf(asked.startMs)
  const minutes = lastMinute - firstMinute + 1
  if (minutes <= 0) return { fault: 'ends before it starts' }
  if (minutes > minutesMax + 1) return { fault: 'is longer than 7 days' }
  const stepMinutes =
    asked.stepMinutes ?? readableSteps.find((step) => minutes / step <= pointsByDefaultMax) ?? 1440
  if (minutes / stepMinutes > pointsMax) return { fault: 'has more than 1500 steps' }
  // Steps begin at multiples of their length, so that the same minutes fall together at every question.
  return { firstMinute: firstMinute - (firstMinute % stepMinutes), lastMinute, stepMinutes }
}

interface Point {
  utcMinute: number
  activity: Activity
}

/** Every step of the period, in order, without any activity yet. */
export function emptySeries({ firstMinute, lastMinute, stepMinutes }: SeriesPeriod): Point[] {
  const count = Math.floor((lastMinute - firstMinute) / stepMinutes) + 1
  return Array.from({ length: count }, (_, index) => ({
    utcMinute: firstMinute + index * stepMinutes,
    activity: noActivity(),
  }))
}

export function addToSeries(
  points: readonly Point[],
  rows: readonly Point[],
  { firstMinute, stepMinutes }: SeriesPeriod,
): void {
  for (const { utcMinute, activity } of rows) {
    const point = points[Math.floor((utcMinute - firstMinute) / stepMinutes)]
    if (point) addActivity(point.activity, activity)
  }
}
