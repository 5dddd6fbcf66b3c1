import { Link } from 'wouter'
import { DataTable } from '../parts/data-table.tsx'
import { momentText } from '../parts/moment-text.ts'
import { durationText } from '../parts/number-text.ts'
import { TaskStatus } from '../tasks/task-status.tsx'
import { JobProgress } from './job-progress.tsx'
import { jobLink, jobName, type ShownJob } from './shown-job.ts'

export function JobTable({ jobs }: { jobs: readonly ShownJob[] }) {
  return (
    <DataTable
      label="Jobs, the newest first"
      rows={jobs}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Job',
          cell: (job) => (
            <Link className="job-link" href={jobLink(job.id)}>
              {jobName(job)}
            </Link>
          ),
        },
        { name: 'Status', cell: ({ status }) => <TaskStatus status={status} /> },
        { name: 'Progress', cell: (job) => <JobProgress job={job} /> },
        { name: 'Took', align: 'end', cell: (job) => durationText(tookMs(job)) },
        {
          name: 'Created',
          cell: ({ createdAt }) => <span className="number">{momentText(createdAt)}</span>,
        },
      ]}
    />
  )
}

const tookMs = ({ createdAt, completedAt }: ShownJob): number | null =>
  completedAt === null ? null : Date.parse(completedAt) - Date.parse(createdAt)
