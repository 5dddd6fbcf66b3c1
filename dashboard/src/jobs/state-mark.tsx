import type { ShownJob } from './shown-job.ts'
import { stateShape } from './state-shape.ts'

const place = { x: 0, y: 0, radius: 0.8 }

/** The colours of states in the pictures of a job. */
export const stateColours: Record<ShownJob['status'], string> = {
  completed: 'var(--series-1)',
  failed: 'var(--series-2)',
  processing: 'var(--series-5)',
  queued: 'var(--line-strong)',
  cancelled: 'var(--series-6)',
}

/** The state of a page in one sign; the word stands beside it. */
export const StateMark = ({ status }: { status: ShownJob['status'] }) => (
  <svg className="state-mark" viewBox="-1.2 -1.2 2.4 2.4" aria-hidden="true">
    <path
      d={stateShape(status, place)}
      stroke={stateColours[status]}
      fill={status === 'completed' ? stateColours[status] : 'none'}
    />
  </svg>
)
