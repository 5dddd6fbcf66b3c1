import './task.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { NotFoundError, type TargetResponse, type TaskDetails, ValidationError } from '@trawl/sdk'
import { Link, useLocation } from 'wouter'
import { trawl } from '../client.ts'
import { jobLink } from '../jobs/shown-job.ts'
import { ActionButton } from '../parts/controls.tsx'
import { EmptyState, Facts, Loaded, Loading, Panel } from '../parts/panel.tsx'
import { bytesText, countText, durationText, momentText } from '../parts/value-text.ts'
import { isEnded, TaskStatus } from '../tasks/task-status.tsx'
import { responseQuery, taskQuery } from './opened-task.ts'
import { TaskFailureNote, TaskTabs } from './task-tabs.tsx'
import { Waterfall } from './time-picture.tsx'

/** Everything about one task. */
export function TaskPage({ id }: { id: string }) {
  const query = useQuery(taskQuery(id))
  const { data, error } = query
  if (!data && (error instanceof NotFoundError || error instanceof ValidationError)) {
    return (
      <EmptyState title="There is no such task" command="npx trawl tasks list">
        It is not kept any longer, or it belongs to another account. These are yours:
      </EmptyState>
    )
  }
  return <Loaded query={query}>{(task) => <Shown task={task} />}</Loaded>
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
        <Loading />
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

function TaskHead(props: { task: TaskDetails; response: TargetResponse | undefined }) {
  const { task, response } = props
  return (
    <Panel title={task.id} beside={<TaskStatus status={task.status} />}>
      <Facts
        facts={{
          URL: <TargetLink url={task.url} />,
          'Final URL': response && response.url !== task.url && <TargetLink url={response.url} />,
          Kind: kindNames[task.kind],
          Engine: task.engine && engineNames[task.engine],
          'HTTP status': task.http_status,
          Took: task.duration_ms !== null && durationText(task.duration_ms),
          Attempts: countText(task.attempts),
          Created: momentText(task.created_at),
          Size: task.bytes !== null && bytesText(task.bytes),
          Job: task.job_id && <Link href={jobLink(task.job_id)}>{task.job_id}</Link>,
          Repeats: task.retry_of && (
            <Link href={`/app/tasks/${task.retry_of}`}>{task.retry_of}</Link>
          ),
          Callback: task.callback_url,
          Session: task.options.session,
          Metadata: task.metadata && JSON.stringify(task.metadata),
        }}
      />
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

function TaskButtons({ task }: { task: TaskDetails }) {
  const { id, kind, callback_url } = task
  const [, navigate] = useLocation()
  const client = useQueryClient()
  const repeat = (callback: boolean) => async () => {
    const again = await trawl.tasks.retry(id, { callback })
    navigate(`/app/tasks/${again.id}`)
  }
  const cancel = () =>
    trawl.tasks
      .cancel(id)
      .finally(() => client.invalidateQueries({ queryKey: taskQuery(id).queryKey }))
  const isOver = isEnded(task.status)
  return (
    <div className="row">
      {isOver && kind !== 'map' && (
        <ActionButton aria-keyshortcuts="r" act={repeat(false)}>
          Replay
        </ActionButton>
      )}
      {isOver && callback_url !== null && (
        <ActionButton act={repeat(true)}>Retry with its callback</ActionButton>
      )}
      {!isOver && <ActionButton act={cancel}>Cancel</ActionButton>}
      <Link className="button" href={`/app/playground?task=${id}`}>
        Open in playground
      </Link>
    </div>
  )
}
