import { countText } from '../parts/number-text.ts'
import { plural, type ShownJob } from './shown-job.ts'
import { stateColours } from './state-mark.tsx'

const ended = ['completed', 'failed', 'cancelled'] as const

/** How far a job of the list has come: the same as a bar and in words. */
export function JobProgress({ job: { kind, counts, linkCount } }: { job: ShownJob }) {
  if (kind === 'map') return `${countText(linkCount ?? 0)} ${plural(linkCount ?? 0, 'URL')} found`
  return (
    <div className="job-progress">
      <div className="share" aria-hidden="true">
        {ended.map((state) => (
          <span key={state} style={{ flexGrow: counts[state], background: stateColours[state] }} />
        ))}
        <span style={{ flexGrow: counts.pending }} />
      </div>
      <span className="number small">
        {countText(counts.total - counts.pending)} of {countText(counts.total)}
        {counts.failed > 0 && `, ${countText(counts.failed)} failed`}
      </span>
    </div>
  )
}
