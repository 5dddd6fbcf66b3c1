import './task.css'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { NotFoundError, type TargetResponse, type TaskDetails, ValidationError } from '@trawl/sdk'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { trawl } from '../client.ts'
import { jobLink } from '../jobs/shown-job.ts'
import { Button } from '../parts/controls.tsx'
import { EmptyState, Panel, Unreadable } from '../parts/panel.tsx'
import { bytesText, countText, durationText, momentText } from '../parts/value-text.ts'
import { isEnded, TaskStatus } from '../tasks/task-status.tsx'
import { responseQuery, taskQuery } from './opened-task.ts'
import { TaskFailureNote } from './task-failure-note.tsx'
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

const kindNames: Record<TaskDetails['kind'], string> = {
  callback: 'Scrape with a callback',
  realtime: 'Realtime scrape',
  extract: 'Extraction',
  batch: 'Page of a batch',
  crawl: 'Page of a crawl',
  map: 'Map of a site',
}

/** What a task is, at a glance. */
function TaskHead(props: { task: TaskDetails; response: TargetResponse | undefined }) {
  const { task, response } = props
  const facts: [string, ReactNode][] = [
    ['URL', <TargetLink key="url" url={task.url} />],
    ['Final URL', response && response.url !== task.url && <TargetLink url={response.url} />],
    ['Kind', kindNames[task.kind]],
    ['Engine', task.engine && engineNames[task.engine]],
    ['HTTP status', task.http_status],
    ['Took', task.duration_ms !== null && durationText(task.duration_ms)],
    ['Attempts', countText(task.attempts)],
    ['Created', momentText(task.created_at)],
    ['Size', task.bytes !== null && bytesText(task.bytes)],
    ['Job', task.job_id && <Link href={jobLink(task.job_id)}>{task.job_id}</Link>],
    ['Repeats', task.retry_of && <Link href={`/app/tasks/${task.retry_of}`}>{task.retry_of}</Link>],
    ['Callback', task.callback_url],
    ['Session', task.options.session],
    ['Metadata', task.metadata && JSON.stringify(task.metadata)],
  ]
  return (
    <Panel title={task.id} beside={<TaskStatus status={task.status} />}>
      <dl className="facts long-text">
        {facts
          .filter(([, value]) => value !== null && value !== undefined && value !== false)
          .map(([name, value]) => (
            <div key={name} className="fact">
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </Panel>
  )
}

export const engineNames = { http: 'HTTP', browser: 'Browser' }

/** A URL of somebody else: a link only if it leads to a web page, and one that tells nothing of us. */
function TargetLink({ url }: { url: string }) {
  if (!/^https?:\/\//i.test(url)) return url
  return (
    <a href={url} rel="noreferrer noopener" target="_blank">
      {url}
    </a>
  )
}

/** What can be done with a task. */
function TaskButtons({ task }: { task: TaskDetails }) {
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
