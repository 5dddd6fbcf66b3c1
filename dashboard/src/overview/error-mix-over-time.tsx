import { Chart } from '../parts/chart.tsx'
import { shareText } from '../parts/number-text.ts'
import { shareOfCodes } from './code-shares.ts'
import { errorColours } from './error-mix.tsx'
import type { SeriesPoint } from './sum-up-series.ts'

/** Whether tasks fail for other reasons than before: each step is a whole, however many failed in it. */
export function ErrorMixOverTime(props: {
  points: readonly SeriesPoint[]
  codes: readonly [code: string, count: number][]
}) {
  const { points, codes } = props
  if (codes.length === 0) return null
  const shares = shareOfCodes(
    points,
    codes.map(([code]) => code),
    errorColours.length,
  )
  return (
    <Chart
      title="Mix of failures in the last hour"
      times={points.map(({ time }) => time)}
      isStacked
      valueText={(percent) => shareText(percent, 100)}
      lines={shares.map(({ code, percents }, index) => ({
        label: code,
        token: errorColours[index] ?? '',
        values: percents,
      }))}
    />
  )
}
