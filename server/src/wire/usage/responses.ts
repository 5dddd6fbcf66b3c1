import { z } from 'zod'
import { type Activity, durationAtShare, durationBucketMsMax } from '../../domain/task/activity.ts'

const counts = z.record(z.string(), z.int())
const duration = z.int().nullable()

/** What ended tasks add up to. */
export const activityFields = {
  completed: z.int(),
  failed: z.int().describe('Cancelled tasks are in neither.'),
  retries: z.int().describe('Attempts after the first.'),
  engines: z
    .object({ http: z.int(), browser: z.int() })
    .describe('By the engine of the last attempt.'),
  codes: counts.describe('Failed tasks by their code.'),
  statuses: counts.describe('Completed tasks by the HTTP status of the target.'),
  p50_ms: duration.describe('Half of the tasks took no longer; null without tasks.'),
  p95_ms: duration,
  p99_ms: duration,
}

export const toActivityBody = (activity: Activity) => ({
  completed: activity.completed,
  failed: activity.failed,
  retries: activity.retries,
  engines: activity.engines,
  codes: activity.codes as Record<string, number>,
  statuses: activity.statuses,
  p50_ms: durationAtShare(activity.durations, 0.5),
  p95_ms: durationAtShare(activity.durations, 0.95),
  p99_ms: durationAtShare(activity.durations, 0.99),
})

export const DurationBuckets = z
  .array(z.object({ ms_max: z.int(), count: z.int() }))
  .describe('A histogram of how long the tasks took: so many up to so many milliseconds.')

export const toDurationBuckets = ({ durations }: Activity): z.input<typeof DurationBuckets> =>
  Object.entries(durations)
    .map(([bucket, count]) => ({ ms_max: durationBucketMsMax(Number(bucket)), count }))
    .sort((one, other) => one.ms_max - other.ms_max)
