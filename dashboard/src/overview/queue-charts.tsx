import { Chart } from '../parts/chart.tsx'
import { countText, durationText } from '../parts/number-text.ts'
import type { SeriesPoint } from './sum-up-series.ts'

export function QueueCharts({ points }: { points: readonly SeriesPoint[] }) {
  const times = points.map(({ time }) => time)
  return (
    <>
      <Chart
        title="Queue at its longest"
        times={times}
        isStacked
        valueText={countText}
        lines={[
          {
            label: 'Waiting',
            token: '--series-4',
            values: points.map(({ queue_depth }) => queue_depth),
          },
        ]}
      />
      <Chart
        title="Age of the oldest that waits"
        times={times}
        valueText={durationText}
        lines={[{ label: 'Age', token: '--series-4', values: points.map(oldestAgeMs) }]}
      />
    </>
  )
}

export const oldestAgeMs = ({ queue_oldest_age_seconds }: SeriesPoint): number =>
  queue_oldest_age_seconds * 1_000
