import { useQuery } from '@tanstack/react-query'
import { NotFoundError, type TaskDetails, ValidationError } from '@trawl/sdk'
import { EmptyState } from '../parts/empty-state.tsx'
import { Unreadable } from '../parts/unreadable.tsx'
import { isEnded } from '../tasks/task-status.tsx'
import { responseQuery, taskQuery } from './opened-task.ts'
import { TaskButtons } from './task-buttons.tsx'
import { TaskFailureNote } from './task-failure-note.tsx'
import { TaskHead } from './task-head.tsx'
import { TaskTabs } from './task-tabs.tsx'
import { Waterfall } from './waterfall.tsx'

/** Everything about one task. */
export function TaskPage({ id }: { id: string }) {
  const { data: task, error } = useQuery(taskQuery(id))
  if (task) return <Shown task={task} />
  if (error instanceof NotFoundError || error instanceof ValidationError) {
    return (
      <EmptyState title="There is no such task" command="npx trawl tasks list">
        It is not kept any longer, or it belongs to another account. These are yours:
      </EmptyState>
    )
  }
  return error ? <Unreadable error={error} /> : <p className="soft">Loading…</p>
}

function Shown({ task }: { task: TaskDetails }) {
  // What a map found is in its job.
  const hasContent = task.status === 'completed' && task.kind !== 'map'
  const response = useQuery({ ...responseQuery(task.id), enabled: hasContent })
  return (
    <>
      <TaskHead task={task} response={response.data} />
      <TaskButtons task={task} />
      {task.error && <TaskFailureNote failure={task.error} />}
      {!isEnded(task.status) && (
        <p role="status">
          {task.status === 'queued' ? 'It waits for its first attempt.' : 'It is being worked on.'}
        </p>
      )}
      <Waterfall task={task} />
      {hasContent && response.error && (
        <p role="status" className="soft">
          There is no content to show: {response.error.message}
        </p>
      )}
      {hasContent && response.isPending ? (
        <p className="soft">Loading…</p>
      ) : (
        <TaskTabs task={task} response={response.data} />
      )}
    </>
  )
}
