import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import type { Job, TaskSummary } from '@trawl/sdk'
import { Link, useSearchParams } from 'wouter'
import { trawl } from '../client.ts'
import { Choice } from '../parts/controls.tsx'
import { DataTable, WideLink } from '../parts/data-table.tsx'
import { Loaded, Panel } from '../parts/panel.tsx'
import { countText, durationText } from '../parts/value-text.ts'
import { statuses } from '../tasks/task-filters.ts'
import { TaskStatus } from '../tasks/task-status.tsx'
import { type PageFilter, readPageFilter, withPage, withPageStatus } from './job-filters.ts'

const pagesOfJobQuery = (job: string, { status, page }: PageFilter) =>
  queryOptions({
    queryKey: ['tasks', 'of-job', job, status, page],
    queryFn: async ({ signal }) =>
      await trawl.tasks.list({ job, status, page, page_size: 25 }, { signal }),
    placeholderData: keepPreviousData,
  })

export function PagesOfJob({ job }: { job: Job }) {
  const [search, setSearch] = useSearchParams()
  const filter = readPageFilter(search)
  const pages = useQuery(pagesOfJobQuery(job.job_id, filter))
  const turn = (page: number) => `/app/jobs/${job.job_id}?${withPage(search, page)}`
  const choose = (status: string) => setSearch(withPageStatus(search, status), { replace: true })
  return (
    <Panel
      title="Pages"
      beside={
        <Choice
          label="Status of pages"
          value={filter.status}
          options={statuses}
          onChange={choose}
        />
      }
    >
      <Loaded query={pages}>
        {({ tasks, page_count }) => (
          <>
            <TableOfPages tasks={tasks} />
            {page_count > 1 && (
              <nav className="row" aria-label="Parts of the list">
                {filter.page > 1 && <Link href={turn(filter.page - 1)}>Previous</Link>}
                <span className="small">
                  {countText(filter.page)} of {countText(page_count)}
                </span>
                {filter.page < page_count && <Link href={turn(filter.page + 1)}>Next</Link>}
              </nav>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  )
}

const TableOfPages = ({ tasks }: { tasks: readonly TaskSummary[] }) => (
  <DataTable
    label="Pages of the job"
    rows={tasks}
    empty={<p role="status">No page fits.</p>}
    keyOf={({ id }) => id}
    columns={[
      ['Status', ({ status }) => <TaskStatus status={status} />],
      ['URL', ({ id, url }) => <WideLink href={`/app/tasks/${id}`}>{url}</WideLink>],
      ['HTTP', ({ http_status }) => http_status ?? '–', 'end'],
      ['Attempts', ({ attempts }) => countText(attempts), 'end'],
      ['Took', ({ duration_ms }) => durationText(duration_ms), 'end'],
      ['Error', ({ error }) => error && <PageError {...error} />],
    ]}
  />
)

const PageError = ({ code, message }: { code: string; message: string }) => (
  <>
    <code>{code}</code> <span className="small">{message}</span>
  </>
)
