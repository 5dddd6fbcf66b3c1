import './jobs.css'
import { useQuery } from '@tanstack/react-query'
import { EmptyState, Loaded, Panel } from '../parts/panel.tsx'
import { countText } from '../parts/value-text.ts'
import { CrawlPictures } from './crawl-pictures.tsx'
import { FoundLinks } from './found-links.tsx'
import { JobHead } from './job-head.tsx'
import { openedJobQuery } from './job-queries.ts'
import { PagesOfJob } from './pages-of-job.tsx'
import type { OpenedJob } from './shown-job.ts'

export const JobPage = ({ id }: { id: string }) => (
  <Loaded query={useQuery(openedJobQuery(id))}>
    {(job) => (job ? <OpenJob job={job} /> : <NoJob />)}
  </Loaded>
)

const NoJob = () => (
  <EmptyState title="There is no such job" command="npx trawl jobs list">
    Jobs are kept for a while after their end. These are there:
  </EmptyState>
)

const OpenJob = ({ job }: { job: OpenedJob }) => (
  <>
    <JobHead job={job} />
    {job.kind === 'crawl' && <CrawlPictures job={job} />}
    <InvalidUrls urls={job.invalidUrls} />
    {job.kind === 'map' ? <FoundLinks links={job.links} /> : <PagesOfJob job={job} />}
  </>
)

const shownMax = 50

/** What stood in the request of a batch and was not fetched. */
function InvalidUrls({ urls }: { urls: readonly string[] }) {
  if (urls.length === 0) return null
  return (
    <Panel title={`Not fetched, as they are no valid URLs: ${countText(urls.length)}`}>
      <ul className="plain-list long-text">
        {urls.slice(0, shownMax).map((url, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same text may occur twice
          <li key={index}>{url}</li>
        ))}
      </ul>
      {urls.length > shownMax && <p className="soft small">The first {shownMax} of them.</p>}
    </Panel>
  )
}
