import { FigureWithTable } from '../parts/figure-with-table.tsx'
import { countText } from '../parts/number-text.ts'
import type { DepthCounts } from './count-depths.ts'
import { TableOfStates } from './crawl-map.tsx'
import { stateColours } from './state-mark.tsx'

const title = 'Pages by depth'
const states = ['completed', 'failed', 'cancelled', 'processing', 'queued'] as const

/** A bar for each depth, as long as it has pages. */
export function DepthChart({ depths }: { depths: readonly DepthCounts[] }) {
  const longest = Math.max(...depths.map(({ total }) => total))
  return (
    <FigureWithTable
      title={title}
      picture={
        <ul className="depth-bars">
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
      }
      table={<TableOfStates depths={depths} />}
    />
  )
}
