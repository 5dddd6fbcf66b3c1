import { FigureWithTable } from '../parts/data-table.tsx'
import { countText, durationText } from '../parts/value-text.ts'
import { mergeDurations, type SeriesPoint } from './sum-up-series.ts'

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
