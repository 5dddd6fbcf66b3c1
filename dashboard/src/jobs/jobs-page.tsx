import './jobs.css'
import { useQuery } from '@tanstack/react-query'
import type { Job } from '@trawl/sdk'
import { Link, useSearchParams } from 'wouter'
import { Choice } from '../parts/controls.tsx'
import { DataTable, WideLink } from '../parts/data-table.tsx'
import { EmptyState, Loaded } from '../parts/panel.tsx'
import { countText, durationText, momentText } from '../parts/value-text.ts'
import { statuses } from '../tasks/task-filters.ts'
import { TaskStatus } from '../tasks/task-status.tsx'
import { type JobFilters, readJobFilters, withJobFilter } from './job-filters.ts'
import { newestJobsQuery } from './job-queries.ts'
import { jobKinds, jobLink, jobName, plural } from './shown-job.ts'
import { stateColours } from './state-mark.tsx'

export function JobsPage() {
  const [search] = useSearchParams()
  const filters = readJobFilters(search)
  const jobs = useQuery(newestJobsQuery(filters))
  const isFiltered = Object.keys(filters).length > 0
  return (
    <>
      <div className="row">
        {['batch', 'crawl'].map((kind) => (
          <Link key={kind} className="button" href={`/app/playground#${kind}=%7B%7D`}>
            New {kind}
          </Link>
        ))}
      </div>
      <JobFilterForm filters={filters} />
      <Loaded query={jobs}>
        {(data) => {
          if (data.jobs.length > 0) return <JobTable jobs={data.jobs} />
          return isFiltered ? <p role="status">No job fits these filters.</p> : <NoJob />
        }}
      </Loaded>
      <nav className="row" aria-label="Parts of the list">
        {filters.before && <Link href={addressOf(search, '')}>Newest jobs</Link>}
        {jobs.data?.olderUntil && (
          <Link href={addressOf(search, jobs.data.olderUntil)}>Older jobs</Link>
        )}
      </nav>
    </>
  )
}

const NoJob = () => (
  <EmptyState title="No batch or crawl yet" command="npx trawl crawl https://example.com">
    A crawl follows the links of a site; a batch fetches many pages with the same options:
  </EmptyState>
)

const addressOf = (search: URLSearchParams, before: string): string =>
  `/app/jobs?${withJobFilter(search, 'before', before)}`

/** The filters are the address: it can be kept, shared, and left with the back button. */
function JobFilterForm({ filters }: { filters: JobFilters }) {
  const [, setSearch] = useSearchParams()
  const apply = (name: keyof JobFilters) => (value: string) =>
    setSearch((search) => withJobFilter(search, name, value), { replace: true })
  return (
    <search className="filters job-filters">
      <Choice label="Kind" value={filters.kind} options={jobKinds} onChange={apply('kind')} />
      <Choice label="Status" value={filters.status} options={statuses} onChange={apply('status')} />
    </search>
  )
}

const JobTable = ({ jobs }: { jobs: readonly Job[] }) => (
  <DataTable
    label="Jobs, the newest first"
    rows={jobs}
    keyOf={({ job_id }) => job_id}
    columns={[
      ['Job', (job) => <WideLink href={jobLink(job.job_id)}>{jobName(job)}</WideLink>],
      ['Status', ({ status }) => <TaskStatus status={status} />],
      ['Progress', (job) => <JobProgress job={job} />],
      ['Took', (job) => durationText(tookMs(job)), 'end'],
      ['Created', ({ created_at }) => <span className="number">{momentText(created_at)}</span>],
    ]}
  />
)

const tookMs = ({ created_at, completed_at }: Job): number | null =>
  completed_at === null ? null : Date.parse(completed_at) - Date.parse(created_at)

const ended = ['completed', 'failed', 'cancelled'] as const

/** How far a job of the list has come: the same as a bar and in words. */
function JobProgress({ job: { kind, counts, links_count } }: { job: Job }) {
  if (kind === 'map')
    return `${countText(links_count ?? 0)} ${plural(links_count ?? 0, 'URL')} found`
  return (
    <div className="job-progress">
      <div className="share" aria-hidden="true">
        {ended.map((state) => (
          <span key={state} style={{ flexGrow: counts[state], background: stateColours[state] }} />
        ))}
        <span style={{ flexGrow: counts.pending }} />
      </div>
      <span className="number small">
        {countText(counts.total - counts.pending)} of {countText(counts.total)}
        {counts.failed > 0 && `, ${countText(counts.failed)} failed`}
      </span>
    </div>
  )
}
