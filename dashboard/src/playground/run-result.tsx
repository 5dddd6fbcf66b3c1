import '../task/task.css'
import { useQuery } from '@tanstack/react-query'
import { ScrapeError, type TaskDetails } from '@trawl/sdk'
import { Link } from 'wouter'
import { CodeBlock } from '../parts/code-block.tsx'
import { bytesText, countText, durationText } from '../parts/number-text.ts'
import { Unreadable } from '../parts/unreadable.tsx'
import { responseQuery, taskQuery } from '../task/opened-task.ts'
import { TaskFailureNote } from '../task/task-failure-note.tsx'
import { engineNames } from '../task/task-head.tsx'
import { TaskTabs } from '../task/task-tabs.tsx'
import { Waterfall } from '../task/waterfall.tsx'
import { TaskStatus } from '../tasks/task-status.tsx'
import { JobFollower } from './job-follower.tsx'
import { MapLinks } from './map-links.tsx'
import type { PlaygroundRequest } from './playground-request.ts'
import type { RunOutcome } from './send-request.ts'
import type { Run } from './use-run.ts'

/** What came of the last run. */
export function RunResult({ run }: { run: Run }) {
  const { isRunning, isCancelled, outcome, error, request } = run
  if (isRunning) return <p role="status">Running… Escape cancels it.</p>
  if (isCancelled) return <p role="status">Cancelled.</p>
  if (error) return <FailedRun error={error} request={request} />
  if (outcome) return <Outcome outcome={outcome} request={request} />
  return <p className="soft">Enter the address of a page and press Enter.</p>
}

function Outcome(props: { outcome: RunOutcome; request: PlaygroundRequest | undefined }) {
  const { outcome, request } = props
  switch (outcome.kind) {
    case 'task':
      return (
        <>
          {request?.operation === 'callback' && <ReceiveHint />}
          <TaskResult key={outcome.id} id={outcome.id} />
        </>
      )
    case 'map':
      return <MapLinks map={outcome.map} />
    default:
      return <JobFollower key={outcome.id} {...outcome} kind={outcome.kind} />
  }
}

const ReceiveHint = () => (
  <div className="stack">
    <p>
      The result is posted to the callback URL. To see it arrive on this machine, use the callback
      URL <code>http://127.0.0.1:9000</code> and run:
    </p>
    <CodeBlock label="Receive callbacks" text="npx trawl listen" />
  </div>
)

/** A task from its start to its content; its events keep it up to date. */
function TaskResult({ id }: { id: string }) {
  const { data: task, error } = useQuery(taskQuery(id))
  const isCompleted = task?.status === 'completed'
  const response = useQuery({ ...responseQuery(id), enabled: isCompleted })
  if (!task) return error ? <Unreadable error={error} /> : <p className="soft">Loading…</p>
  return (
    <>
      {error && <Unreadable error={error} />}
      <Figures task={task} />
      {task.error && <TaskFailureNote failure={task.error} />}
      {isCompleted && response.isPending ? (
        <p className="soft">Loading…</p>
      ) : (
        <TaskTabs key={task.status} task={task} response={response.data} />
      )}
      <Waterfall task={task} />
    </>
  )
}

function Figures({ task }: { task: TaskDetails }) {
  const { http_status, duration_ms, engine, attempts, bytes } = task
  const figures: [string, string][] = [
    ['HTTP status', String(http_status ?? '–')],
    ['Took', durationText(duration_ms)],
    ['Engine', engine ? engineNames[engine] : '–'],
    ['Attempts', countText(attempts)],
    ['Size', bytes === null ? '–' : bytesText(bytes)],
  ]
  return (
    <div className="stack">
      <div className="row apart">
        <TaskStatus status={task.status} />
        <Link href={`/app/tasks/${task.id}`}>Open the task</Link>
      </div>
      <dl className="figures" aria-label="Figures of the run">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="number">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

/** The task of a failed run is kept, and tells more than its error. */
function FailedRun(props: { error: Error; request: PlaygroundRequest | undefined }) {
  const { error, request } = props
  const id = error instanceof ScrapeError ? taskOf(error, request) : undefined
  return (
    <>
      <p role="alert" className="fault long-text">
        {error.message}
      </p>
      {id !== undefined && <TaskResult key={id} id={id} />}
    </>
  )
}

/** A realtime scrape has the id of its task as the id of the request, once there is a task. */
function taskOf(error: ScrapeError, request: PlaygroundRequest | undefined): string | undefined {
  if (request?.operation === 'realtime') return error.correlationId
  return request?.operation === 'extract' ? error.jobId : undefined
}
