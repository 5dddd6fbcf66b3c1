import type { TaskSearchResult } from '@trawl/sdk'
import { useState } from 'react'
import { TaskActions } from './task-actions.tsx'
import type { TaskFilters } from './task-filters.ts'
import { TaskRows } from './task-rows.tsx'

/** The tasks that fit, and what can be done with those of them that are chosen. */
export function TaskList(props: {
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
