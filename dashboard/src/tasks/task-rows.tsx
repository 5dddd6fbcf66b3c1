import { keepPreviousData, queryOptions, useQueries, useQueryClient } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import type { TaskSearchResult, TaskSummary } from '@trawl/sdk'
import { useEffect, useMemo, useRef, useState } from 'react'
import { Link } from 'wouter'
import { trawl } from '../client.ts'
import { durationText, momentText, shortMomentText } from '../parts/value-text.ts'
import { RowChanges, rowKeys } from './row-changes.ts'
import type { TaskFilters, TaskQuery } from './task-filters.ts'
import { TaskStatus } from './task-status.tsx'

const rowPx = 40
const columnNames = ['Status', 'URL', 'Engine', 'HTTP', 'Attempts', 'Took', 'Created']
// With the boxes to select them.
const columnCount = columnNames.length + 1

/** A table of any length: only the rows in sight exist, between two rows as high as all the others. */
export function TaskRows(props: {
  filters: TaskFilters
  first: TaskSearchResult
  selected: ReadonlySet<string>
  onToggle: (id: string) => void
  onToggleAll: (ids: ReadonlySet<string>) => void
}) {
  const { filters, first, selected, onToggle, onToggleAll } = props
  const frame = useRef<HTMLElement>(null)
  const rowCount = first.page_count <= 1 ? first.tasks.length : first.page_count * pageRowCount
  const rows = useVirtualizer({
    count: rowCount,
    getScrollElement: () => frame.current,
    estimateSize: () => rowPx,
    overscan: 6,
  })
  const shown = rows.getVirtualItems()
  const pages = [...new Set(shown.map(({ index }) => pageOf(index)))]
  usePagesAhead(filters, pages, first.page_count)
  const loaded = useQueries({
    queries: pages.map((page) => taskPageQuery(filters, page)),
    combine: (results) =>
      results.map(({ data, isPlaceholderData }) => ({
        tasks: data?.tasks ?? [],
        isOfBefore: isPlaceholderData,
      })),
  })
  const taskAt = (index: number) =>
    loaded[pages.indexOf(pageOf(index))]?.tasks[index % pageRowCount]
  const keys = rowKeys(shown.map(({ index }) => ({ index, id: taskAt(index)?.id })))
  const tasks = useMemo(
    () => loaded.flatMap(({ tasks, isOfBefore }) => (isOfBefore ? [] : tasks)),
    [loaded],
  )
  const changed = useChangedRows(tasks)
  const above = shown[0]?.start ?? 0
  const below = rows.getTotalSize() - (shown.at(-1)?.end ?? 0)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="table-frame task-frame" aria-label="Tasks" ref={frame} tabIndex={0}>
      <table className="table" aria-rowcount={rowCount + 1}>
        <caption className="hidden-text">Tasks, the newest first</caption>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">
              <SelectAll tasks={tasks} selected={selected} onToggleAll={onToggleAll} />
            </th>
            {columnNames.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer heightPx={above} />
          {shown.map(({ index }, at) => (
            <TaskRow
              key={keys[at]}
              index={index}
              task={taskAt(index)}
              isSelected={selected.has(taskAt(index)?.id ?? '')}
              isChanged={changed.has(taskAt(index)?.id ?? '')}
              onToggle={onToggle}
            />
          ))}
          <Spacer heightPx={below} />
        </tbody>
      </table>
    </section>
  )
}

const pageOf = (index: number): number => Math.floor(index / pageRowCount) + 1

function SelectAll(props: {
  tasks: readonly TaskSummary[]
  selected: ReadonlySet<string>
  onToggleAll: (ids: ReadonlySet<string>) => void
}) {
  const ids = new Set(props.tasks.map(({ id }) => id))
  return (
    <input
      type="checkbox"
      aria-label="Select all loaded"
      checked={ids.size > 0 && ids.isSubsetOf(props.selected)}
      onChange={() => props.onToggleAll(ids)}
    />
  )
}

function Spacer({ heightPx }: { heightPx: number }) {
  if (heightPx <= 0) return null
  return (
    <tr>
      <td colSpan={columnCount} style={{ height: heightPx, padding: 0 }} />
    </tr>
  )
}

function TaskRow(props: {
  index: number
  task: TaskSummary | undefined
  isSelected: boolean
  isChanged: boolean
  onToggle: (id: string) => void
}) {
  const { index, task, isSelected, isChanged, onToggle } = props
  if (!task) {
    return (
      <tr aria-rowindex={index + 2} className="task-row">
        <td colSpan={columnCount} className="soft">
          …
        </td>
      </tr>
    )
  }
  return (
    <tr aria-rowindex={index + 2} className="task-row" data-changed={isChanged || undefined}>
      <td>
        <input
          type="checkbox"
          aria-label={`Select ${task.url}`}
          checked={isSelected}
          onChange={() => onToggle(task.id)}
        />
      </td>
      <td>
        <TaskStatus status={task.status} />
      </td>
      <td className="task-url" title={task.url}>
        <Link href={`/app/tasks/${task.id}`}>{task.url}</Link>
      </td>
      <td>{task.engine ?? '–'}</td>
      <td className="number">{task.http_status ?? task.error?.code ?? '–'}</td>
      <td className="number">{task.attempts}</td>
      <td className="number">{durationText(task.duration_ms)}</td>
      <td className="number" title={momentText(task.created_at)}>
        {shortMomentText(task.created_at)}
      </td>
    </tr>
  )
}

const glowMs = 2_000

/** The ids of rows that have changed a moment ago. */
function useChangedRows(tasks: readonly TaskSummary[]): ReadonlySet<string> {
  const changes = useRef(new RowChanges())
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    const ids = new Set(changes.current.see(tasks))
    if (ids.size === 0) return
    setChanged((before) => before.union(ids))
    // Not stopped when other tasks come; once the page is left it changes nothing.
    setTimeout(() => setChanged((before) => before.difference(ids)), glowMs)
  }, [tasks])
  return changed
}

/** Reads the pages before and after those in sight, so that scrolling finds its rows. */
function usePagesAhead(filters: TaskFilters, seen: readonly number[], pageCount: number): void {
  const client = useQueryClient()
  const [first = 1, last = 1] = [seen[0], seen.at(-1)]
  // biome-ignore lint/correctness/useExhaustiveDependencies: a list has one set of filters
  useEffect(() => {
    // The service decrypts thousands of URLs for each page of such a search.
    if (filters.url !== undefined) return
    for (const page of [last + 1, first - 1]) {
      if (page >= 1 && page <= pageCount) void client.prefetchQuery(taskPageQuery(filters, page))
    }
  }, [client, first, last, pageCount])
}

export const pageRowCount = 50

/** One page of the tasks that fit. Only pages with rows in sight are read, and read again by events. */
export const taskPageQuery = (filters: TaskFilters, page: number) =>
  queryOptions({
    queryKey: ['tasks', filters, page],
    queryFn: async ({ signal }) =>
      await trawl.tasks.list(
        { ...(filters as TaskQuery), page, page_size: pageRowCount },
        { signal },
      ),
    placeholderData: keepPreviousData,
  })
