import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { TaskSummary } from '@trawl/sdk'
import { useEffect, useRef, useState } from 'react'
import { trawl } from '../client.ts'
import { Button } from '../parts/controls.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { countText } from '../parts/value-text.ts'
import { actOnEach, reportText } from './act-on-each.ts'
import { findMatching } from './find-matching.ts'
import type { TaskFilters } from './task-filters.ts'
import { isEnded } from './task-status.tsx'

/** What can be done with many tasks at once. */
const bulkActions = {
  retry: {
    name: 'Retry',
    done: 'retried',
    consequence: 'Each that has ended runs again as a new task, with its callback.',
    fits: ({ status, kind }: TaskSummary) => isEnded(status) && kind !== 'map',
    act: (id: string) => trawl.tasks.retry(id),
  },
  cancel: {
    name: 'Cancel',
    done: 'cancelled',
    consequence: 'Each that has not ended is cancelled and sends no callback.',
    fits: ({ status }: TaskSummary) => !isEnded(status),
    act: (id: string) => trawl.tasks.cancel(id),
  },
} as const

type BulkActionName = keyof typeof bulkActions

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

interface BulkProgress {
  endedCount: number
  /** Unknown while they are still being looked for. */
  allCount: number | undefined
}

/** Asks first, then acts on every task that fits the filters, and says how that went. */
function BulkDialog(props: {
  name: BulkActionName
  filters: TaskFilters
  /** How many fit, in words. */
  matching: string
  /** Nothing of what was chosen before needs to stay so. */
  onDone: () => void
  onClose: () => void
}) {
  const { name, filters, matching, onDone, onClose } = props
  const action = bulkActions[name]
  const { doing, progress, stop } = useBulkAction(name, filters, onDone)
  return (
    <Dialog
      title={`${action.name} all that match`}
      isOpen
      onClose={() => {
        stop()
        onClose()
      }}
    >
      {doing.isIdle && (
        <>
          <p>
            {matching}. {action.consequence}
          </p>
          <div>
            <Button kind="main" onClick={() => doing.mutate()}>
              {action.name} them
            </Button>
          </div>
        </>
      )}
      {doing.isPending && (
        <div className="row">
          <progress
            aria-label="Progress"
            value={progress.allCount && progress.endedCount}
            max={progress.allCount}
          />
          <Button onClick={stop}>Stop</Button>
        </div>
      )}
      <p role="status">
        {doing.isPending && progressText(progress)}
        {doing.data && reportText(action.done, doing.data)}
        {doing.error && `It ended early: ${doing.error.message}`}
      </p>
    </Dialog>
  )
}

function useBulkAction(name: BulkActionName, filters: TaskFilters, onDone: () => void) {
  const client = useQueryClient()
  const stopping = useRef<AbortController>(undefined)
  const stop = () => stopping.current?.abort()
  const [progress, setProgress] = useState<BulkProgress>({ endedCount: 0, allCount: undefined })
  const doing = useMutation({
    mutationFn: async () => {
      const { fits, act } = bulkActions[name]
      stopping.current = new AbortController()
      const { signal } = stopping.current
      // All are found before the first is changed: one that no longer fits would move the others.
      const ids = new Set<string>()
      for await (const task of findMatching((query) => trawl.tasks.list(query), filters)) {
        if (signal.aborted) break
        if (fits(task)) ids.add(task.id)
        // Not each of thousands is worth drawing the dialog again.
        if (ids.size % 100 === 0) setProgress({ endedCount: ids.size, allCount: undefined })
      }
      return actOnEach(ids, act, {
        signal,
        onProgress: (endedCount) => setProgress({ endedCount, allCount: ids.size }),
      })
    },
    onSettled: () => {
      onDone()
      return client.invalidateQueries({ queryKey: ['tasks'] })
    },
  })
  // Nobody could stop it on another page, and after a sign-out it would act for somebody else.
  useEffect(() => () => stopping.current?.abort(), [])
  return { doing, progress, stop }
}

const progressText = ({ endedCount, allCount }: BulkProgress): string =>
  allCount === undefined
    ? `Looking for them: ${countText(endedCount)} so far`
    : `${countText(endedCount)} of ${countText(allCount)}`
