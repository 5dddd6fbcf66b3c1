import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { TaskDetails } from '@trawl/sdk'
import { Link, useLocation } from 'wouter'
import { trawl } from '../client.ts'
import { Button } from '../parts/button.tsx'
import { isEnded } from '../tasks/task-status.tsx'
import { taskQuery } from './opened-task.ts'

/** What can be done with a task. */
export function TaskButtons({ task }: { task: TaskDetails }) {
  const { id, kind, callback_url } = task
  const [, navigate] = useLocation()
  const client = useQueryClient()
  const repeat = useMutation({
    mutationFn: (body: { callback: boolean }) => trawl.tasks.retry(id, body),
    onSuccess: (again) => navigate(`/app/tasks/${again.id}`),
  })
  const cancel = useMutation({
    mutationFn: () => trawl.tasks.cancel(id),
    onSettled: () => client.invalidateQueries({ queryKey: taskQuery(id).queryKey }),
  })
  const isOver = isEnded(task.status)
  const failure = repeat.error ?? cancel.error
  return (
    <div className="row">
      {isOver && kind !== 'map' && (
        <Button
          aria-keyshortcuts="r"
          disabled={repeat.isPending}
          onClick={() => repeat.mutate({ callback: false })}
        >
          Replay
        </Button>
      )}
      {isOver && callback_url !== null && (
        <Button disabled={repeat.isPending} onClick={() => repeat.mutate({ callback: true })}>
          Retry with its callback
        </Button>
      )}
      {!isOver && (
        <Button disabled={cancel.isPending} onClick={() => cancel.mutate()}>
          Cancel
        </Button>
      )}
      <Link className="button" href={`/app/playground?task=${id}`}>
        Open in playground
      </Link>
      {failure && (
        <span role="alert" className="fault">
          {failure.message}
        </span>
      )}
    </div>
  )
}
