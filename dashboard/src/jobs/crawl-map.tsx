import { DataTable } from '../parts/data-table.tsx'
import { FigureWithTable } from '../parts/figure-with-table.tsx'
import { countText } from '../parts/number-text.ts'
import { statuses } from '../tasks/task-filters.ts'
import type { DepthCounts } from './count-depths.ts'
import { layOutCrawlMap, type MapLine } from './crawl-map-layout.ts'
import type { OutlinedPage } from './crawl-outline.ts'
import type { PageNode } from './page-tree.ts'
import { StateMark, stateColours } from './state-mark.tsx'
import { stateShape } from './state-shape.ts'

const title = 'Map of the crawl'
const radius = 180
const marginPx = 8

/** Every page as a mark, joined to the one that it was found on. */
export function CrawlMap(props: { roots: readonly PageNode[]; depths: readonly DepthCounts[] }) {
  return (
    <FigureWithTable
      title={title}
      picture={<MapPicture {...props} />}
      table={<TableOfStates depths={props.depths} />}
    />
  )
}

function MapPicture({
  roots,
  depths,
}: {
  roots: readonly PageNode[]
  depths: readonly DepthCounts[]
}) {
  const { dots, lines, rings, dotRadius } = layOutCrawlMap(roots, radius)
  const half = radius + marginPx
  const words = depths.map(({ depth, total }) => `${countText(total)} at depth ${depth}`).join(', ')
  return (
    <>
      <svg
        className="crawl-map"
        viewBox={`${-half} ${-half} ${2 * half} ${2 * half}`}
        role="img"
        aria-label={`${title}: ${words}`}
      >
        {rings.map((ring) => (
          <circle key={ring} r={ring} className="crawl-map-ring" />
        ))}
        {/* One path for many, as a browser draws that faster than thousands of elements. */}
        <path className="crawl-map-line" d={lines.map(linePath).join('')} />
        {statuses.map((status) => (
          <path
            key={status}
            className="crawl-map-mark"
            data-status={status}
            stroke={stateColours[status]}
            fill={status === 'completed' ? stateColours[status] : 'var(--surface)'}
            d={dots
              .filter((dot) => dot.status === status)
              .map(({ x, y }) => stateShape(status, { x, y, radius: radiusOf(status, dotRadius) }))
              .join('')}
          />
        ))}
      </svg>
      <Legend depths={depths} />
    </>
  )
}

/** A cross among thousands of discs has to be found. */
const radiusOf = (status: OutlinedPage['status'], dotRadius: number): number =>
  status === 'failed' ? Math.max(dotRadius, 3) : dotRadius

const linePath = ([from, bend, other, to]: MapLine): string =>
  `M${from.x} ${from.y}C${bend.x} ${bend.y} ${other.x} ${other.y} ${to.x} ${to.y}`

/** The states that occur. */
function Legend({ depths }: { depths: readonly DepthCounts[] }) {
  const shown = statuses.filter((status) => depths.some(({ byState }) => byState[status] > 0))
  return (
    <ul className="legend small">
      {shown.map((status) => (
        <li key={status}>
          <StateMark status={status} /> {status}
        </li>
      ))}
    </ul>
  )
}

export const TableOfStates = ({ depths }: { depths: readonly DepthCounts[] }) => (
  <DataTable
    label="Pages by depth and state"
    rows={depths}
    keyOf={({ depth }) => String(depth)}
    columns={[
      { name: 'Depth', align: 'end', cell: ({ depth }) => depth },
      { name: 'Pages', align: 'end', cell: ({ total }) => countText(total) },
      ...statuses.map((status) => ({
        name: status,
        align: 'end' as const,
        cell: ({ byState }: DepthCounts) => countText(byState[status]),
      })),
    ]}
  />
)
