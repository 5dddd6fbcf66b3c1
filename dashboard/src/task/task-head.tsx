import './task.css'
import type { TargetResponse, TaskDetails } from '@trawl/sdk'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { jobLink } from '../jobs/shown-job.ts'
import { momentText } from '../parts/moment-text.ts'
import { bytesText, countText, durationText } from '../parts/number-text.ts'
import { Panel } from '../parts/panel.tsx'
import { TaskStatus } from '../tasks/task-status.tsx'
import { TargetLink } from './target-link.tsx'

const kindNames: Record<TaskDetails['kind'], string> = {
  callback: 'Scrape with a callback',
  realtime: 'Realtime scrape',
  extract: 'Extraction',
  batch: 'Page of a batch',
  crawl: 'Page of a crawl',
  map: 'Map of a site',
}

/** What a task is, at a glance. */
export function TaskHead(props: { task: TaskDetails; response: TargetResponse | undefined }) {
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
