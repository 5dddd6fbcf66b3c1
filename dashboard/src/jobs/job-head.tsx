import { useId } from 'react'
import { momentText } from '../parts/moment-text.ts'
import { countText } from '../parts/number-text.ts'
import { isEnded, TaskStatus } from '../tasks/task-status.tsx'
import { JobActions } from './job-actions.tsx'
import { ProgressRing } from './progress-ring.tsx'
import { jobName, type OpenedJob, type PagesByState, pagesPerMinute } from './shown-job.ts'
import { StateMark } from './state-mark.tsx'

/** What a job is, how far it has come, and what can be done with it. */
export function JobHead({ job }: { job: OpenedJob }) {
  const id = useId()
  const perMinute = pagesPerMinute(job, Date.now())
  const isEnding = isEnded(job.status) && job.completedAt === null
  return (
    <section className="panel" aria-labelledby={id}>
      <div className="row">
        <h2 id={id} className="job-name">
          {jobName(job)}
        </h2>
        <TaskStatus status={job.status} />
        {isEnding && <span className="small">what runs comes to its end</span>}
      </div>
      <div className="job-head">
        {job.kind !== 'map' && (
          <>
            <ProgressRing counts={job.counts} />
            <StateCounts counts={job.counts} />
          </>
        )}
        <dl className="facts">
          <dt>Created</dt>
          <dd className="number">{momentText(job.createdAt)}</dd>
          <dt>Ended</dt>
          <dd className="number">{momentText(job.completedAt)}</dd>
          {job.kind !== 'map' && (
            <>
              <dt>Pages a minute</dt>
              <dd className="number">{perMinute === null ? '–' : countText(perMinute)}</dd>
            </>
          )}
          {job.frontierCount !== null && (
            <>
              <dt>Frontier</dt>
              <dd className="number">
                {countText(job.frontierCount)}
                <span className="soft"> found and not chosen yet</span>
              </dd>
            </>
          )}
        </dl>
      </div>
      {job.errorText && <p className="fault">{job.errorText}</p>}
      <JobActions job={job} />
    </section>
  )
}

const states = [
  { name: 'completed', status: 'completed' },
  { name: 'failed', status: 'failed' },
  { name: 'cancelled', status: 'cancelled' },
  { name: 'pending', status: 'queued' },
] as const

function StateCounts({ counts }: { counts: PagesByState }) {
  return (
    <ul className="state-counts" aria-label="Pages by state">
      {states.map(({ name, status }) => (
        <li key={name} className="number">
          <StateMark status={status} /> {countText(counts[name])} {name}
        </li>
      ))}
    </ul>
  )
}
