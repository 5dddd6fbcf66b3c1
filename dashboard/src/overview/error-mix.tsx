import { Chart } from '../parts/chart.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { Panel } from '../parts/panel.tsx'
import { countText, shareText } from '../parts/value-text.ts'
import { type SeriesPoint, shareOfCodes } from './sum-up-series.ts'

/** In the order of the codes; those beyond the last one share it. */
const errorColours: readonly string[] = [
  '--series-2',
  '--series-1',
  '--series-3',
  '--series-4',
  '--series-5',
  '--series-6',
]

/** Why tasks failed, as shares of a whole. The list below has the same order as the bar. */
export function ErrorMix({ codes }: { codes: readonly [code: string, count: number][] }) {
  const total = codes.reduce((sum, [, count]) => sum + count, 0)
  return (
    <Panel title="Why tasks failed in the last hour">
      {total === 0 ? (
        <p className="soft">None has failed.</p>
      ) : (
        <>
          <div className="share" aria-hidden="true">
            {codes.map(([code, count], index) => (
              <span key={code} style={{ flexGrow: count, background: colourAt(index) }} />
            ))}
          </div>
          <DataTable
            label="Failures by code"
            rows={codes}
            columns={[
              ['Code', ([code]) => <code>{code}</code>],
              ['Tasks', ([, count]) => countText(count), 'end'],
              ['Share', ([, count]) => shareText(count, total), 'end'],
            ]}
          />
        </>
      )}
    </Panel>
  )
}

const colourAt = (index: number): string => `var(${errorColours[index] ?? errorColours.at(-1)})`

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
