import type { TaskSummary } from '@trawl/sdk'
import { Badge, type Tone } from '../parts/controls.tsx'

type Status = TaskSummary['status']

const tones: Record<Status, Tone> = {
  queued: 'plain',
  processing: 'warn',
  completed: 'good',
  failed: 'bad',
  cancelled: 'plain',
}

/** Of a task, or of a job, which has the same ones. */
export const TaskStatus = ({ status }: { status: Status }) => (
  <Badge tone={tones[status]}>{status}</Badge>
)

/** Whether nothing more happens to a task or a job but its deliveries. */
export const isEnded = (status: Status): boolean => status !== 'queued' && status !== 'processing'
