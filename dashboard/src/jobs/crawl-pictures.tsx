import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../parts/controls.tsx'
import { type Column, FigureWithTable } from '../parts/data-table.tsx'
import { Loaded, Panel } from '../parts/panel.tsx'
import { countText } from '../parts/value-text.ts'
import { statuses } from '../tasks/task-filters.ts'
import { layOutCrawlMap, type MapLine } from './crawl-map-layout.ts'
import { crawlOutlineQuery, type OutlinedPage, outlinedMax } from './job-queries.ts'
import {
  buildPageTree,
  countDepths,
  type DepthCounts,
  originOf,
  type PageNode,
  shortUrl,
} from './page-tree.ts'
import { type OpenedJob, plural } from './shown-job.ts'
import { StateMark, stateColours, stateShape } from './state-mark.tsx'

/** A crawl as a whole: how wide it is at which depth, and what was found where. */
export const CrawlPictures = ({ job }: { job: OpenedJob }) => (
  <Loaded query={useQuery(crawlOutlineQuery(job))}>
    {(pages) => pages.length > 0 && <Outline pages={pages} total={job.counts.total} />}
  </Loaded>
)

function Outline({ pages, total }: { pages: OutlinedPage[]; total: number }) {
  const depths = useMemo(() => countDepths(pages), [pages])
  const roots = useMemo(() => buildPageTree(pages), [pages])
  return (
    <>
      {pages.length >= outlinedMax && total > outlinedMax && (
        <p role="status" className="soft small">
          The pictures and the tree have the first {countText(outlinedMax)} of {countText(total)}{' '}
          pages.
        </p>
      )}
      <div className="panels">
        <DepthChart depths={depths} />
        <CrawlMap roots={roots} depths={depths} />
      </div>
      <PageTree roots={roots} pageCount={pages.length} />
    </>
  )
}

/** The numbers of both pictures. */
const tableOfStates = {
  label: 'Pages by depth and state',
  columns: [
    ['Depth', ({ depth }) => depth, 'end'],
    ['Pages', ({ total }) => countText(total), 'end'],
    ...statuses.map(
      (status): Column<DepthCounts> => [status, ({ byState }) => countText(byState[status]), 'end'],
    ),
  ] satisfies Column<DepthCounts>[],
}

const states = ['completed', 'failed', 'cancelled', 'processing', 'queued'] as const

/** A bar for each depth, as long as it has pages. */
function DepthChart({ depths }: { depths: readonly DepthCounts[] }) {
  const longest = Math.max(...depths.map(({ total }) => total))
  return (
    <FigureWithTable title="Pages by depth" {...tableOfStates} rows={depths}>
      <ul className="depth-bars plain-list">
        {depths.map(({ depth, total, byState }) => (
          <li key={depth}>
            <span className="small">Depth {depth}</span>
            <span className="depth-bar" aria-hidden="true">
              {states.map((state) => (
                <span
                  key={state}
                  style={{
                    width: `${(byState[state] / longest) * 100}%`,
                    background: stateColours[state],
                  }}
                />
              ))}
            </span>
            <span className="number small">
              {countText(total)}
              <span className="hidden-text"> pages</span>
              {byState.failed > 0 && `, ${countText(byState.failed)} failed`}
            </span>
          </li>
        ))}
      </ul>
    </FigureWithTable>
  )
}

const mapTitle = 'Map of the crawl'
const radius = 180
const marginPx = 8

interface MapProps {
  roots: readonly PageNode[]
  depths: readonly DepthCounts[]
}

/** Every page as a mark, joined to the one that it was found on. */
function CrawlMap(props: MapProps) {
  return (
    <FigureWithTable title={mapTitle} {...tableOfStates} rows={props.depths}>
      <MapPicture {...props} />
    </FigureWithTable>
  )
}

function MapPicture({ roots, depths }: MapProps) {
  const { dots, lines, rings, dotRadius } = layOutCrawlMap(roots, radius)
  const half = radius + marginPx
  const words = depths.map(({ depth, total }) => `${countText(total)} at depth ${depth}`).join(', ')
  return (
    <>
      <svg
        className="crawl-map"
        viewBox={`${-half} ${-half} ${2 * half} ${2 * half}`}
        role="img"
        aria-label={`${mapTitle}: ${words}`}
      >
        {rings.map((ring) => (
          <circle key={ring} r={ring} className="crawl-map-ring" />
        ))}
        {/* One path for many, as a browser draws that faster than thousands of elements. */}
        <path className="crawl-map-line" d={lines.map(linePath).join('')} />
        {statuses.map((status) => (
          <path
            key={status}
            strokeWidth={status === 'failed' ? 2 : 1}
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
    <ul className="legend plain-list small">
      {shown.map((status) => (
        <li key={status}>
          <StateMark status={status} /> {status}
        </li>
      ))}
    </ul>
  )
}

/** A tree of so many pages is shown whole. */
const wholeMax = 60
const childrenAtOnce = 100

/** What was found where. A branch exists once it is opened, so that thousands of pages are no burden. */
function PageTree(props: { roots: readonly PageNode[]; pageCount: number }) {
  const { roots, pageCount } = props
  const [first] = roots
  if (!first) return null
  return (
    <Panel title="Tree of pages">
      <Branch
        nodes={roots}
        origin={originOf(first.page.url)}
        isOpenBelow={(depth) => depth === 1 || pageCount <= wholeMax}
      />
    </Panel>
  )
}

interface BranchProps {
  origin: string
  isOpenBelow: (depth: number) => boolean
}

function Branch({ nodes, ...rest }: BranchProps & { nodes: readonly PageNode[] }) {
  const [shownCount, setShownCount] = useState(childrenAtOnce)
  const hiddenCount = nodes.length - shownCount
  return (
    <ul className="page-tree plain-list">
      {nodes.slice(0, shownCount).map((node) => (
        <PageOfTree key={node.page.task_id} node={node} {...rest} />
      ))}
      {hiddenCount > 0 && (
        <li>
          <Button kind="quiet" onClick={() => setShownCount(shownCount + childrenAtOnce)}>
            Show {countText(Math.min(hiddenCount, childrenAtOnce))} more of {countText(hiddenCount)}
          </Button>
        </li>
      )}
    </ul>
  )
}

function PageOfTree({ node, ...rest }: BranchProps & { node: PageNode }) {
  const { page, children, failedBelow } = node
  const [isOpen, setOpen] = useState<boolean>()
  const isShown = isOpen ?? rest.isOpenBelow(page.depth)
  const path = shortUrl(page.url, rest.origin)
  return (
    <li>
      <div className="page-tree-row">
        {children.length > 0 ? (
          <button
            type="button"
            className="page-tree-toggle"
            aria-expanded={isShown}
            aria-label={`${countText(children.length)} ${plural(children.length, 'page')} found on ${path}`}
            onClick={() => setOpen(!isShown)}
          />
        ) : (
          <span />
        )}
        <StateMark status={page.status} />
        <span className="long-text">
          <Link href={`/app/tasks/${page.task_id}`}>{path}</Link>{' '}
          <span className="soft small">
            {page.status}
            {page.error_code && page.status === 'failed' && `: ${page.error_code}`}
            {children.length > 0 && `, ${countText(children.length)} found here`}
            {failedBelow > 0 && `, ${countText(failedBelow)} failed below`}
          </span>
        </span>
      </div>
      {isShown && children.length > 0 && <Branch nodes={children} {...rest} />}
    </li>
  )
}
