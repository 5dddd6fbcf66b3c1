import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { countText } from '../parts/number-text.ts'
import { actOnEach, reportText } from './act-on-each.ts'
import { type BulkActionName, bulkActions } from './bulk-action.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import type { TaskFilters } from './task-filters.ts'

const names = Object.keys(bulkActions) as BulkActionName[]

/** What can be done with the chosen tasks or with all that fit, and how it went. */
export function TaskActions(props: {
  filters: TaskFilters
  matching: string
  isEmpty: boolean
  selected: ReadonlySet<string>
  onDone: () => void
}) {
  const { filters, matching, isEmpty, selected, onDone } = props
  const [asked, setAsked] = useState<BulkActionName>()
  const client = useQueryClient()
  const doing = useMutation({
    mutationFn: async (name: BulkActionName) =>
      reportText(bulkActions[name].done, await actOnEach(selected, bulkActions[name].act)),
    onSuccess: onDone,
    onSettled: () => client.invalidateQueries({ queryKey: ['tasks'] }),
  })
  return (
    <div className="row">
      {names.map((name) => (
        <Button
          key={name}
          disabled={selected.size === 0 || doing.isPending}
          onClick={() => doing.mutate(name)}
        >
          {bulkActions[name].name} selected
        </Button>
      ))}
      {names.map((name) => (
        <Button key={name} kind="quiet" disabled={isEmpty} onClick={() => setAsked(name)}>
          {bulkActions[name].name} all that match
        </Button>
      ))}
      <span role="status" className="small">
        {doing.isPending && 'Working…'}
        {doing.data && !doing.isPending && selected.size === 0 && doing.data}
        {selected.size > 0 && !doing.isPending && `${countText(selected.size)} selected`}
      </span>
      {asked && (
        <BulkDialog
          name={asked}
          filters={filters}
          matching={matching}
          onDone={onDone}
          onClose={() => setAsked(undefined)}
        />
      )}
    </div>
  )
}
