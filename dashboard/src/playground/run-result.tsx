import '../task/task.css'
import { useQuery } from '@tanstack/react-query'
import { ScrapeError, type SiteMap, type TaskDetails } from '@trawl/sdk'
import { Link } from 'wouter'
import { trawl } from '../client.ts'
import { LinkTable, shownLinksMax } from '../jobs/found-links.tsx'
import { jobLink } from '../jobs/shown-job.ts'
import { Fault } from '../parts/controls.tsx'
import { CodeBlock, Loaded, Loading } from '../parts/panel.tsx'
import { bytesText, countText, durationText } from '../parts/value-text.ts'
import { responseQuery, taskQuery } from '../task/opened-task.ts'
import { engineNames } from '../task/task-page.tsx'
import { TaskFailureNote, TaskTabs } from '../task/task-tabs.tsx'
import { Waterfall } from '../task/time-picture.tsx'
import { TaskStatus } from '../tasks/task-status.tsx'
import type { PlaygroundRequest } from './playground-request.ts'
import type { Run, RunOutcome } from './use-run.ts'

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
  const query = useQuery(taskQuery(id))
  const isCompleted = query.data?.status === 'completed'
  const response = useQuery({ ...responseQuery(id), enabled: isCompleted })
  return (
    <Loaded query={query}>
      {(task) => (
        <>
          <Figures task={task} />
          {task.error && <TaskFailureNote failure={task.error} />}
          {isCompleted && response.isPending ? (
            <Loading />
          ) : (
            <TaskTabs key={task.status} task={task} response={response.data} />
          )}
          <Waterfall task={task} />
        </>
      )}
    </Loaded>
  )
}

function Figures({ task }: { task: TaskDetails }) {
  const { http_status, duration_ms, engine, attempts, bytes } = task
  const figures = {
    'HTTP status': http_status ?? '–',
    Took: durationText(duration_ms),
    Engine: engine ? engineNames[engine] : '–',
    Attempts: countText(attempts),
    Size: bytes === null ? '–' : bytesText(bytes),
  }
  return (
    <div className="stack">
      <div className="row apart">
        <TaskStatus status={task.status} />
        <Link href={`/app/tasks/${task.id}`}>Open the task</Link>
      </div>
      <dl className="figures" aria-label="Figures of the run">
        {Object.entries(figures).map(([name, value]) => (
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
      <Fault error={error} />
      {id !== undefined && <TaskResult key={id} id={id} />}
    </>
  )
}

/** A realtime scrape has the id of its task as the id of the request, once there is a task. */
function taskOf(error: ScrapeError, request: PlaygroundRequest | undefined): string | undefined {
  if (request?.operation === 'realtime') return error.correlationId
  return request?.operation === 'extract' ? error.jobId : undefined
}

/** Under the key of the job, so that its events refresh it. */
const jobQuery = (id: string) => ({
  queryKey: ['job', id, 'counts'],
  queryFn: ({ signal }: { signal: AbortSignal }) => trawl.getJob(id, { signal }),
})

/** How far a job has come. */
function JobFollower(props: {
  kind: 'batch' | 'crawl'
  id: string
  invalidUrls: readonly string[]
}) {
  const { kind, id, invalidUrls } = props
  const job = useQuery(jobQuery(id))
  return (
    <div className="stack">
      <p>
        The {kind} has started: <Link href={jobLink(id)}>Job {id}</Link>
      </p>
      <Loaded query={job}>
        {({ status, counts }) => (
          <p role="status">
            The job is {status}: {countText(counts.completed)} completed, {countText(counts.failed)}{' '}
            failed, {countText(counts.pending)} to go.
          </p>
        )}
      </Loaded>
      {invalidUrls.length > 0 && (
        <p className="fault long-text">Not fetched, as invalid: {invalidUrls.join(', ')}</p>
      )}
    </div>
  )
}

function MapLinks({ map }: { map: SiteMap }) {
  const { links_count, duration_ms } = map.metadata
  return (
    <div className="stack">
      <p role="status">
        {countText(links_count)} {links_count === 1 ? 'link' : 'links'} in{' '}
        {durationText(duration_ms)}
        {links_count > shownLinksMax && `; the first ${countText(shownLinksMax)} are shown`}
      </p>
      {map.warning && <p className="notice">{map.warning}</p>}
      <LinkTable links={map.links} />
    </div>
  )
}
