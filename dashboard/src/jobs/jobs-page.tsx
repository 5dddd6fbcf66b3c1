import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'wouter'
import { EmptyState } from '../parts/empty-state.tsx'
import { Unreadable } from '../parts/unreadable.tsx'
import { JobFilterForm } from './job-filter-form.tsx'
import { readJobFilters, withJobFilter } from './job-filters.ts'
import { JobTable } from './job-table.tsx'
import './jobs.css'
import { newestJobsQuery } from './newest-jobs.ts'

export function JobsPage() {
  const [search] = useSearchParams()
  const filters = readJobFilters(search)
  const { data, error } = useQuery(newestJobsQuery(filters))
  const isFiltered = Object.keys(filters).length > 0
  return (
    <>
      <div className="row">
        <Link className="button" href="/app/playground#batch=%7B%7D">
          New batch
        </Link>
        <Link className="button" href="/app/playground#crawl=%7B%7D">
          New crawl
        </Link>
      </div>
      <JobFilterForm filters={filters} />
      {error && <Unreadable error={error} />}
      {data?.jobs.length === 0 && !isFiltered && (
        <EmptyState title="No batch or crawl yet" command="npx trawl crawl https://example.com">
          A crawl follows the links of a site; a batch fetches many pages with the same options:
        </EmptyState>
      )}
      {data?.jobs.length === 0 && isFiltered && <p role="status">No job fits these filters.</p>}
      {data && data.jobs.length > 0 && <JobTable jobs={data.jobs} />}
      <nav className="row" aria-label="Parts of the list">
        {filters.before && <Link href={addressOf(search, '')}>Newest jobs</Link>}
        {data?.olderUntil && <Link href={addressOf(search, data.olderUntil)}>Older jobs</Link>}
      </nav>
    </>
  )
}

const addressOf = (search: URLSearchParams, before: string): string =>
  `/app/jobs?${withJobFilter(search, 'before', before)}`
