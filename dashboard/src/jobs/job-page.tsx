import { useQuery } from '@tanstack/react-query'
import { EmptyState } from '../parts/empty-state.tsx'
import { Unreadable } from '../parts/unreadable.tsx'
import { CrawlPictures } from './crawl-pictures.tsx'
import { FoundLinks } from './found-links.tsx'
import { InvalidUrls } from './invalid-urls.tsx'
import { JobHead } from './job-head.tsx'
import './jobs.css'
import { openedJobQuery } from './opened-job.ts'
import { PagesOfJob } from './pages-of-job.tsx'

export function JobPage({ id }: { id: string }) {
  const { data: job, error } = useQuery(openedJobQuery(id))
  if (job === undefined) {
    return error ? <Unreadable error={error} /> : <p className="soft">Loading…</p>
  }
  if (job === null) {
    return (
      <EmptyState title="There is no such job" command="npx trawl jobs list">
        Jobs are kept for a while after their end. These are there:
      </EmptyState>
    )
  }
  return (
    <>
      {error && <Unreadable error={error} />}
      <JobHead job={job} />
      {job.kind === 'crawl' && <CrawlPictures job={job} />}
      <InvalidUrls urls={job.invalidUrls} />
      {job.kind === 'map' ? <FoundLinks links={job.links} /> : <PagesOfJob job={job} />}
    </>
  )
}
