import { countText } from '../parts/number-text.ts'
import { endedPercent, ringArcs } from './ring-arcs.ts'
import type { PagesByState } from './shown-job.ts'
import { stateColours } from './state-mark.tsx'

const circle = { r: 40, pathLength: 100 }

/** How much of a job has ended, and how. The counts beside it say the same. */
export function ProgressRing({ counts }: { counts: PagesByState }) {
  const percent = endedPercent(counts)
  const words = `${percent} % ended: ${countText(counts.total - counts.pending)} of ${countText(counts.total)} pages`
  return (
    <svg className="progress-ring" viewBox="-50 -50 100 100" role="img" aria-label={words}>
      <circle {...circle} className="progress-ring-rest" />
      <g transform="rotate(-90)">
        {ringArcs(counts).map(({ state, from, length }) => (
          <circle
            key={state}
            {...circle}
            stroke={stateColours[state]}
            strokeDasharray={`${length} ${100 - length}`}
            strokeDashoffset={-from}
          />
        ))}
      </g>
      <text textAnchor="middle" dominantBaseline="central">
        {percent} %
      </text>
    </svg>
  )
}
