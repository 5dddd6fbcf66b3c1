import { useQueryClient } from '@tanstack/react-query'
import type { Job, JobCounts } from '@trawl/sdk'
import { useId } from 'react'
import { trawl } from '../client.ts'
import { ActionButton } from '../parts/controls.tsx'
import { ConfirmedAction } from '../parts/dialog.tsx'
import { Facts } from '../parts/panel.tsx'
import { countText, momentText } from '../parts/value-text.ts'
import { actOnEach, reportText } from '../tasks/act-on-each.ts'
import { findMatching } from '../tasks/find-matching.ts'
import { isEnded, TaskStatus } from '../tasks/task-status.tsx'
import {
  endedPercent,
  jobName,
  type OpenedJob,
  pagesPerMinute,
  plural,
  ringArcs,
} from './shown-job.ts'
import { StateMark, stateColours } from './state-mark.tsx'

/** What a job is, how far it has come, and what can be done with it. */
export function JobHead({ job }: { job: OpenedJob }) {
  const id = useId()
  const perMinute = pagesPerMinute(job, Date.now())
  const isEnding = isEnded(job.status) && job.completed_at === null
  return (
    <section className="panel" aria-labelledby={id}>
      <div className="row">
        <h2 id={id} className="long-text">
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
        <Facts
          facts={{
            Created: momentText(job.created_at),
            Ended: momentText(job.completed_at),
            'Pages a minute':
              job.kind !== 'map' && (perMinute === null ? '–' : countText(perMinute)),
            Frontier: job.frontierCount !== null && (
              <>
                {countText(job.frontierCount)}
                <span className="soft"> found and not chosen yet</span>
              </>
            ),
          }}
        />
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

function StateCounts({ counts }: { counts: JobCounts }) {
  return (
    <ul className="state-counts plain-list" aria-label="Pages by state">
      {states.map(({ name, status }) => (
        <li key={name} className="number">
          <StateMark status={status} /> {countText(counts[name])} {name}
        </li>
      ))}
    </ul>
  )
}

const circle = { r: 40, pathLength: 100 }

/** How much of a job has ended, and how. The counts beside it say the same. */
function ProgressRing({ counts }: { counts: JobCounts }) {
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

function JobActions({ job }: { job: Job }) {
  return (
    <div className="row">
      {job.kind !== 'map' && !isEnded(job.status) && <CancelJob job={job} />}
      {job.kind !== 'map' && job.completed_at !== null && job.counts.failed > 0 && (
        <RetryFailedPages job={job} />
      )}
      <Downloads job={job} />
    </div>
  )
}

function CancelJob({ job: { job_id: id, kind } }: { job: Job }) {
  const client = useQueryClient()
  const act = async () => {
    await (kind === 'batch' ? trawl.cancelBatch(id) : trawl.cancelCrawl(id))
    await client.invalidateQueries({ queryKey: ['job', id] })
  }
  return (
    <ConfirmedAction name={`Cancel the ${kind}`} act={act}>
      <p>No other page is begun. What runs comes to its end, and what was fetched is kept.</p>
    </ConfirmedAction>
  )
}

/** Links, as the browser saves what it is sent without holding it in memory. */
const Downloads = ({ job: { job_id: id, kind } }: { job: Job }) =>
  kind === 'map' ? (
    <a className="button" href={`/v1/map/${id}`} download={`${id}.json`}>
      Download JSON
    </a>
  ) : (
    ['ndjson', 'json'].map((format) => (
      <a key={format} className="button" href={`/v1/${kind}/${id}?download=${format}`} download>
        Download {format.toUpperCase()}
      </a>
    ))
  )

/** A batch runs its failed pages again itself; those of a crawl become tasks of their own. */
function RetryFailedPages({ job: { job_id: id, kind } }: { job: Job }) {
  const client = useQueryClient()
  const retry = async () => {
    try {
      if (kind === 'crawl') return await retryEach(id)
      await trawl.retryFailedOfBatch(id)
      return undefined
    } finally {
      await client.invalidateQueries({ queryKey: ['job', id] })
    }
  }
  return <ActionButton act={retry}>Retry failed</ActionButton>
}

async function retryEach(job: string): Promise<string> {
  const failed = { job, status: 'failed' } as const
  const ids = new Set<string>()
  // All are found first, as those that are retried stay failed in the crawl.
  for await (const task of findMatching((query) => trawl.tasks.list(query), failed)) {
    ids.add(task.id)
  }
  const report = await actOnEach(ids, (id) => trawl.tasks.retry(id))
  return reportText(`${plural(report.doneCount, 'page')} retried as tasks of their own`, report)
}
