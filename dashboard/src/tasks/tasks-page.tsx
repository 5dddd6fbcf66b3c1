import './tasks.css'
import { useQuery } from '@tanstack/react-query'
import type { TaskSearchResult } from '@trawl/sdk'
import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'wouter'
import { Choice, Field } from '../parts/controls.tsx'
import { EmptyState, Loaded } from '../parts/panel.tsx'
import { countText } from '../parts/value-text.ts'
import { TaskActions } from './task-actions.tsx'
import { taskFailureCodes } from './task-failures.ts'
import { readTaskFilters, statuses, type TaskFilters, withTaskFilter } from './task-filters.ts'
import { pageRowCount, TaskRows, taskPageQuery } from './task-rows.tsx'

export function TasksPage() {
  const [search] = useSearchParams()
  const filters = readTaskFilters(search)
  const firstPage = useQuery(taskPageQuery(filters, 1))
  const isFiltered = Object.keys(filters).length > 0
  return (
    <>
      <TaskFilterForm filters={filters} />
      <Loaded query={firstPage}>
        {(first) =>
          first.tasks.length === 0 && !isFiltered ? (
            <EmptyState title="No task yet" command="npx trawl scrape https://example.com" />
          ) : (
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
          )
        }
      </Loaded>
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

/** The tasks that fit, and what can be done with those of them that are chosen. */
function TaskList(props: {
  filters: TaskFilters
  first: TaskSearchResult
  /** How many there are, in words. */
  matching: string
}) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const toggle = (id: string) => setSelected((ids) => ids.symmetricDifference(new Set([id])))
  const toggleAll = (ids: ReadonlySet<string>) =>
    setSelected((chosen) => (ids.isSubsetOf(chosen) ? chosen.difference(ids) : chosen.union(ids)))
  return (
    <>
      <TaskActions
        filters={props.filters}
        matching={props.matching}
        isEmpty={props.first.tasks.length === 0}
        selected={selected}
        onDone={() => setSelected(new Set())}
      />
      {props.first.tasks.length > 0 && (
        <TaskRows {...props} selected={selected} onToggle={toggle} onToggleAll={toggleAll} />
      )}
    </>
  )
}

/** The filters are the address: it can be kept, shared, and left with the back button. */
function TaskFilterForm({ filters }: { filters: TaskFilters }) {
  const [search, setSearch] = useSearchParams()
  const apply = (name: keyof TaskFilters) => (value: string) =>
    setSearch((before) => withTaskFilter(before, name, value), { replace: true })
  const typed = (name: keyof TaskFilters) => {
    const value = search.get(name) ?? ''
    const isIgnored = value.trim() !== '' && filters[name] === undefined
    return { value, isIgnored, onChange: apply(name) }
  }

  return (
    <search className="filters">
      <Choice label="Status" options={statuses} value={filters.status} onChange={apply('status')} />
      <TypedFilter label="URL contains" type="search" {...typed('url')} />
      <TypedFilter label="Host" {...typed('host')} />
      <Choice
        label="Error code"
        options={taskFailureCodes}
        value={filters.code}
        onChange={apply('code')}
      />
      <TypedFilter label="Job id" {...typed('job')} />
      <TypedFilter label="From day (UTC)" type="date" {...typed('start_date')} />
      <TypedFilter label="To day (UTC)" type="date" {...typed('end_date')} />
    </search>
  )
}

// While somebody types, not every letter is a search.
const pauseMs = 200

/** A filter that is typed. The address follows it after a pause, and it follows the address at once. */
function TypedFilter(props: {
  label: string
  type?: 'search' | 'text' | 'date'
  /** As it stands in the address. */
  value: string
  /** Whether the value cannot be a filter: then more tasks are listed than its writer thinks. */
  isIgnored: boolean
  onChange: (value: string) => void
}) {
  const { label, type = 'text', value, isIgnored, onChange } = props
  const [text, setText] = useState(value)
  const [followed, setFollowed] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  if (followed !== value) {
    setFollowed(value)
    if (text.trim() !== value.trim()) setText(value)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <Field
      label={label}
      type={type}
      required={false}
      value={text}
      aria-invalid={isIgnored || undefined}
      {...(isIgnored && { hint: 'Not valid, so it does not filter.' })}
      onChange={({ target }) => {
        setText(target.value)
        clearTimeout(timer.current)
        timer.current = setTimeout(() => onChange(target.value), pauseMs)
      }}
    />
  )
}
