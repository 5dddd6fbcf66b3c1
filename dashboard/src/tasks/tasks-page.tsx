import './tasks.css'
import { useQuery } from '@tanstack/react-query'
import type { TaskSearchResult } from '@trawl/sdk'
import { useSearchParams } from 'wouter'
import { EmptyState } from '../parts/empty-state.tsx'
import { countText } from '../parts/number-text.ts'
import { Unreadable } from '../parts/unreadable.tsx'
import { TaskFilterForm } from './task-filter-form.tsx'
import { readTaskFilters } from './task-filters.ts'
import { TaskList } from './task-list.tsx'
import { pageRowCount, taskPageQuery } from './task-pages.ts'

export function TasksPage() {
  const [search] = useSearchParams()
  const filters = readTaskFilters(search)
  const { data: first, error } = useQuery(taskPageQuery(filters, 1))
  const isFiltered = Object.keys(filters).length > 0
  return (
    <>
      <TaskFilterForm filters={filters} />
      {error && <Unreadable error={error} />}
      {first?.tasks.length === 0 && !isFiltered && (
        <EmptyState title="No task yet" command="npx trawl scrape https://example.com" />
      )}
      {first && (first.tasks.length > 0 || isFiltered) && (
        <>
          <p role="status" className="soft small">
            {matchingText(first)}
          </p>
          <TaskList
            key={JSON.stringify(filters)}
            filters={filters}
            first={first}
            matching={matchingText(first)}
          />
        </>
      )}
    </>
  )
}

function matchingText({ page_count, tasks, is_capped }: TaskSearchResult): string {
  if (tasks.length === 0) return 'No task fits these filters'
  const [about, count] =
    page_count === 1 ? ['', tasks.length] : ['About ', page_count * pageRowCount]
  const noun = count === 1 ? 'task' : 'tasks'
  return `${about}${countText(count)} ${noun}${is_capped ? ', and there are more' : ''}`
}
