import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { trawl } from '../client.ts'
import { jobLink } from '../jobs/shown-job.ts'
import { countText } from '../parts/number-text.ts'
import { Unreadable } from '../parts/unreadable.tsx'

interface JobCounts {
  status: string
  done: number
  failed: number
  pending: number
}

const withoutResults = { page_size: 1, contents: 'none' } as const

/** Under the key of the job, so that its events refresh it. */
const countsQuery = (kind: 'batch' | 'crawl', id: string) => ({
  queryKey: ['job', id, 'counts'],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<JobCounts> => {
    if (kind === 'batch') {
      const job = await trawl.getBatch(id, withoutResults, { signal })
      return {
        status: job.status,
        done: job.completed_urls,
        failed: job.failed_urls,
        pending: job.pending_urls,
      }
    }
    const job = await trawl.getCrawl(id, withoutResults, { signal })
    return {
      status: job.status,
      done: job.completed_pages,
      failed: job.failed_pages,
      pending: job.pending_pages,
    }
  },
})

/** How far a job has come. */
export function JobFollower(props: {
  kind: 'batch' | 'crawl'
  id: string
  invalidUrls: readonly string[]
}) {
  const { kind, id, invalidUrls } = props
  const { data, error } = useQuery(countsQuery(kind, id))
  return (
    <div className="stack">
      <p>
        The {kind} has started: <Link href={jobLink({ kind, id })}>Job {id}</Link>
      </p>
      {error && <Unreadable error={error} />}
      {data && (
        <p role="status">
          The job is {data.status}: {countText(data.done)} completed, {countText(data.failed)}{' '}
          failed, {countText(data.pending)} to go.
        </p>
      )}
      {invalidUrls.length > 0 && (
        <p className="fault long-text">Not fetched, as invalid: {invalidUrls.join(', ')}</p>
      )}
    </div>
  )
}
