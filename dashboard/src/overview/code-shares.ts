import type { SeriesPoint } from './sum-up-series.ts'

export interface CodeShare {
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
