import { useQueryClient } from '@tanstack/react-query'
import { trawl } from '../client.ts'
import { ConfirmedAction } from '../parts/confirmed-action.tsx'
import { isEnded } from '../tasks/task-status.tsx'
import { RetryFailedPages } from './retry-failed-pages.tsx'
import type { ShownJob } from './shown-job.ts'

/** What can be done with a job as it is now. */
export function JobActions({ job }: { job: ShownJob }) {
  return (
    <div className="row">
      {job.kind !== 'map' && !isEnded(job.status) && <CancelJob job={job} />}
      {job.kind !== 'map' && job.completedAt !== null && job.counts.failed > 0 && (
        <RetryFailedPages job={job} />
      )}
      <Downloads job={job} />
    </div>
  )
}

function CancelJob({ job: { id, kind } }: { job: ShownJob }) {
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
function Downloads({ job: { id, kind } }: { job: ShownJob }) {
  if (kind === 'map') {
    return (
      <a className="button" href={`/v1/map/${id}`} download={`${id}.json`}>
        Download JSON
      </a>
    )
  }
  return (
    <>
      <a className="button" href={`/v1/${kind}/${id}?download=ndjson`} download>
        Download NDJSON
      </a>
      <a className="button" href={`/v1/${kind}/${id}?download=json`} download>
        Download JSON
      </a>
    </>
  )
}
