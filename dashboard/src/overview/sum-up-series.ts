import type { Series } from '@trawl/sdk'
import { durationText } from '../parts/value-text.ts'

export type SeriesPoint = Series['points'][number]

export type SeriesSums = ReturnType<typeof sumUpSeries>

/** Adds up the steps of a period. */
export function sumUpSeries({ points, step_seconds }: Series) {
  const sumOf = (field: 'completed' | 'failed') =>
    points.reduce((sum, point) => sum + point[field], 0)
  const histogram = mergeDurations(points)
  // The last step has only begun.
  const lastWhole = points.at(-2)
  return {
    completed: sumOf('completed'),
    failed: sumOf('failed'),
    /** Tasks a minute in the last step that is over. */
    perMinute: lastWhole ? (endedIn(lastWhole) * 60) / step_seconds : 0,
    p50Ms: durationAt(histogram, 0.5),
    p95Ms: durationAt(histogram, 0.95),
    /** By code, the most frequent first. */
    codes: added(points.flatMap(({ codes }) => Object.entries(codes))).sort(
      ([, one], [, other]) => other - one,
    ),
  }
}

export const endedIn = ({ completed, failed }: { completed: number; failed: number }): number =>
  completed + failed

export const oldestAgeMs = ({ queue_oldest_age_seconds }: SeriesPoint): number =>
  queue_oldest_age_seconds * 1_000

/** How many tasks took up to so many milliseconds, the shortest first. */
export const mergeDurations = (points: readonly SeriesPoint[]): [msMax: number, count: number][] =>
  added(
    points.flatMap(({ durations }) => durations.map((one) => [one.ms_max, one.count] as const)),
  ).sort(([one], [other]) => one - other)

/** One sum for each key. */
function added<Key>(counts: readonly (readonly [Key, number])[]): [Key, number][] {
  const sums = new Map<Key, number>()
  for (const [key, count] of counts) sums.set(key, (sums.get(key) ?? 0) + count)
  return [...sums]
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

interface CodeShare {
  code: string
  /** Of the failures of each step, in percent; null in steps without any. */
  percents: (number | null)[]
}

export const otherCodes = 'other'

/**
 * The share of each code in the failures of each step. Codes are in the order given; what goes beyond
 * `linesMax` is added up as the last one.
 */
export function shareOfCodes(
  points: readonly Pick<SeriesPoint, 'codes'>[],
  codes: readonly string[],
  linesMax: number,
): CodeShare[] {
  const shown = codes.length > linesMax ? codes.slice(0, linesMax - 1) : codes
  const totals = points.map((point) => sum(Object.values(point.codes)))
  const shareOf = (code: string, countIn: (point: Pick<SeriesPoint, 'codes'>) => number) => ({
    code,
    percents: points.map((point, index) => {
      const total = totals[index] ?? 0
      return total === 0 ? null : (countIn(point) / total) * 100
    }),
  })
  const known = shown.map((code) => shareOf(code, (point) => point.codes[code] ?? 0))
  if (shown.length === codes.length) return known
  const isOther = (code: string) => !shown.includes(code)
  const others = shareOf(otherCodes, (point) =>
    sum(Object.entries(point.codes).map(([code, count]) => (isOther(code) ? count : 0))),
  )
  return [...known, others]
}

const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0)

/** The service knows the age of what was never begun; without any, all that waits was tried before. */
export function oldestText(waiting: number, oldestAgeMs: number): string {
  if (waiting === 0) return 'nothing waits'
  return oldestAgeMs > 0 ? `the oldest for ${durationText(oldestAgeMs)}` : 'to be tried again'
}
