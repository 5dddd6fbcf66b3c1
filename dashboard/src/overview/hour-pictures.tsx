import { Chart } from '../parts/chart.tsx'
import { DataTable, FigureWithTable } from '../parts/data-table.tsx'
import { Panel } from '../parts/panel.tsx'
import { countText, durationText, shareText } from '../parts/value-text.ts'
import { mergeDurations, type SeriesPoint, shareOfCodes } from './sum-up-series.ts'

/** In the order of the codes; those beyond the last one share it. */
const errorColours: readonly string[] = [2, 1, 3, 4, 5, 6].map((at) => `--series-${at}`)

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

const title = 'Where the time went, minute by minute'

/** How many tasks took how long: a column a minute, a row a length, the darker the more. */
export function LatencyHeat({ points }: { points: readonly SeriesPoint[] }) {
  const histogram = mergeDurations(points)
  if (histogram.length === 0) return null
  return (
    <FigureWithTable
      title={title}
      rows={histogram}
      columns={[
        ['Took up to', ([msMax]) => durationText(msMax)],
        ['Tasks', ([, count]) => countText(count), 'end'],
      ]}
    >
      <HeatStrip points={points} rows={histogram.map(([msMax]) => msMax)} />
    </FigureWithTable>
  )
}

const cell = { width: 10, height: 12 }

function HeatStrip({ points, rows }: { points: readonly SeriesPoint[]; rows: number[] }) {
  const cells = points.flatMap(({ durations, time }, column) =>
    durations.map(({ ms_max, count }) => ({ time, column, msMax: ms_max, count })),
  )
  const countMax = Math.max(...cells.map(({ count }) => count))
  const [shortest = 0, longest = 0] = [rows[0], rows.at(-1)]
  return (
    <>
      <svg
        className="heat-strip"
        viewBox={`0 0 ${points.length * cell.width} ${rows.length * cell.height}`}
        role="img"
        aria-label={`${title}: from ${durationText(shortest)} to ${durationText(longest)}`}
      >
        {cells.map(({ time, column, msMax, count }) => (
          <rect
            key={`${time} ${msMax}`}
            x={column * cell.width}
            y={(rows.length - 1 - rows.indexOf(msMax)) * cell.height}
            width={cell.width - 1}
            height={cell.height - 1}
            opacity={0.25 + 0.75 * (Math.log1p(count) / Math.log1p(countMax))}
          />
        ))}
      </svg>
      <p className="soft small">
        From {durationText(shortest)} at the bottom to {durationText(longest)} at the top.
      </p>
    </>
  )
}
