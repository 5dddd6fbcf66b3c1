import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { trawl } from '../client.ts'
import { jobLink } from '../jobs/shown-job.ts'
import { countText } from '../parts/number-text.ts'
import { Unreadable } from '../parts/unreadable.tsx'

/** Under the key of the job, so that its events refresh it. */
const jobQuery = (id: string) => ({
  queryKey: ['job', id, 'counts'],
  queryFn: ({ signal }: { signal: AbortSignal }) => trawl.getJob(id, { signal }),
})

/** How far a job has come. */
export function JobFollower(props: {
  kind: 'batch' | 'crawl'
  id: string
  invalidUrls: readonly string[]
}) {
  const { kind, id, invalidUrls } = props
  const { data, error } = useQuery(jobQuery(id))
  return (
    <div className="stack">
      <p>
        The {kind} has started: <Link href={jobLink(id)}>Job {id}</Link>
      </p>
      {error && <Unreadable error={error} />}
      {data && (
        <p role="status">
          The job is {data.status}: {countText(data.counts.completed)} completed,{' '}
          {countText(data.counts.failed)} failed, {countText(data.counts.pending)} to go.
        </p>
      )}
      {invalidUrls.length > 0 && (
        <p className="fault long-text">Not fetched, as invalid: {invalidUrls.join(', ')}</p>
      )}
    </div>
  )
}
