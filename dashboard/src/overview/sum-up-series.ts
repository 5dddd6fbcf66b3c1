import type { Series } from '@trawl/sdk'

export type SeriesPoint = Series['points'][number]

export interface SeriesSums {
  completed: number
  failed: number
  /** Tasks a minute in the last step that is over. */
  perMinute: number
  p50Ms: number | null
  p95Ms: number | null
  /** By code, the most frequent first. */
  codes: [code: string, count: number][]
}

/** Adds up the steps of a period. */
export function sumUpSeries({ points, step_seconds }: Series): SeriesSums {
  const sumOf = (field: 'completed' | 'failed') =>
    points.reduce((sum, point) => sum + point[field], 0)
  const histogram = mergeDurations(points)
  // The last step has only begun.
  const lastWhole = points.at(-2)
  return {
    completed: sumOf('completed'),
    failed: sumOf('failed'),
    perMinute: lastWhole ? (endedIn(lastWhole) * 60) / step_seconds : 0,
    p50Ms: durationAt(histogram, 0.5),
    p95Ms: durationAt(histogram, 0.95),
    codes: countCodes(points),
  }
}

export const endedIn = ({ completed, failed }: { completed: number; failed: number }): number =>
  completed + failed

/** How many tasks took up to so many milliseconds, the shortest first. */
export function mergeDurations(points: readonly SeriesPoint[]): [msMax: number, count: number][] {
  const counts = new Map<number, number>()
  for (const { durations } of points) {
    for (const { ms_max, count } of durations) counts.set(ms_max, (counts.get(ms_max) ?? 0) + count)
  }
  return [...counts].sort(([one], [other]) => one - other)
}

function durationAt(histogram: [number, number][], share: number): number | null {
  const total = histogram.reduce((sum, [, count]) => sum + count, 0)
  let seen = 0
  for (const [msMax, count] of histogram) {
    seen += count
    if (seen >= total * share) return msMax
  }
  return null
}

function countCodes(points: readonly SeriesPoint[]): [string, number][] {
  const counts = new Map<string, number>()
  for (const { codes } of points) {
    for (const [code, count] of Object.entries(codes)) {
      counts.set(code, (counts.get(code) ?? 0) + count)
    }
  }
  return [...counts].sort(([, one], [, other]) => other - one)
}
