import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { TargetResponse, TaskDetails } from '@trawl/sdk'
import { useState } from 'react'
import { Link } from 'wouter'
import { trawl } from '../client.ts'
import { ActionButton, Badge } from '../parts/controls.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { Panel } from '../parts/panel.tsx'
import { durationText, momentText } from '../parts/value-text.ts'
import { toneOfDelivery } from '../webhooks/delivery-health.ts'
import { isFailedAttempt, outcomeText } from './lay-out-waterfall.ts'
import { taskQuery } from './opened-task.ts'

/** Every attempt with its proxy, its outcome and its times. */
export function AttemptsTab({ attempts }: { attempts: TaskDetails['attempt_log'] }) {
  return (
    <DataTable
      label="Attempts"
      rows={attempts.map((attempt, index) => ({ ...attempt, number: index + 1 }))}
      columns={[
        ['Attempt', ({ number }) => number],
        [
          'Outcome',
          (attempt) => (
            <Badge tone={isFailedAttempt(attempt) ? 'bad' : 'good'}>{outcomeText(attempt)}</Badge>
          ),
        ],
        ['Engine', ({ engine }) => engine],
        ['Proxy', ({ proxy }) => proxy ?? 'none'],
        ['Started', ({ started_at }) => momentText(started_at)],
        ['Queued', ({ queue_ms }) => durationText(queue_ms), 'end'],
        ['Took', ({ duration_ms }) => durationText(duration_ms), 'end'],
        ['Phases', ({ timings }) => timingsText(timings)],
      ]}
    />
  )
}

const timingsText = (timings: TaskDetails['attempt_log'][number]['timings']): string =>
  Object.entries(timings ?? {})
    .filter(([, ms]) => ms > 0)
    .map(([name, ms]) => `${name.replaceAll('_', ' ')} ${durationText(ms)}`)
    .join(', ') || '–'

const text = (value: string) => <span className="long-text">{value}</span>

/** Headers and cookies as the target sent them. */
export function HeadersTab({ response }: { response: TargetResponse }) {
  return (
    <div className="stack">
      <DataTable
        label="Response headers"
        rows={Object.entries(response.headers)}
        columns={[
          ['Header', ([name]) => text(name)],
          ['Value', ([, value]) => text(value)],
        ]}
      />
      {response.cookies.length > 0 && (
        <DataTable
          label="Cookies"
          rows={response.cookies}
          columns={[
            ['Cookie', ({ name }) => text(name)],
            ['Value', ({ value }) => text(value)],
            ['Domain and path', ({ domain, path }) => text(`${domain}${path}`)],
            ['Expires', ({ expires }) => (expires ? momentText(expires) : 'with the session')],
          ]}
        />
      )}
    </div>
  )
}

/** What the page wrote to its console. */
export function ConsoleTab({ messages }: { messages: NonNullable<TargetResponse['console']> }) {
  return (
    <DataTable
      label="Console"
      rows={messages}
      columns={[
        ['Level', ({ level }) => level],
        ['Message', (message) => <pre className="long-text">{message.text}</pre>],
      ]}
    />
  )
}

type Delivery = TaskDetails['deliveries'][number]

/** What was posted where, try by try. */
export const DeliveriesTab = ({ task }: { task: TaskDetails }) => (
  <div className="stack">
    {task.deliveries.map((delivery) => (
      <DeliveryPanel key={delivery.id} taskId={task.id} delivery={delivery} />
    ))}
  </div>
)

function DeliveryPanel({ taskId, delivery }: { taskId: string; delivery: Delivery }) {
  const { id, webhook_id, event_type, status, attempts, next_attempt_at } = delivery
  const client = useQueryClient()
  // What is sent again keeps its status until it is sent, so that only we know that something comes.
  const [resentAtMs, setResentAtMs] = useState(0)
  useQuery(taskQuery(taskId, resentAtMs))
  const send = async () => {
    try {
      if (webhook_id === null) await trawl.scraper.redeliver(taskId)
      else await trawl.webhooks.redeliver(webhook_id, id)
      setResentAtMs(Date.now())
      return 'It is sent once more.'
    } finally {
      await client.invalidateQueries({ queryKey: taskQuery(taskId).queryKey })
    }
  }
  const title = webhook_id === null ? 'Callback' : `Webhook event ${event_type ?? ''}`
  return (
    <Panel title={title} beside={<Badge tone={toneOfDelivery[status]}>{status}</Badge>}>
      {webhook_id && <Link href={`/app/webhooks/${webhook_id}`}>Its webhook</Link>}
      {next_attempt_at && <p>It is tried again at {momentText(next_attempt_at)}.</p>}
      <TriesTable label={`Tries of the ${title.toLowerCase()}`} tries={attempts} />
      <div className="row">
        <ActionButton act={send}>
          Send again<span className="hidden-text"> {title}</span>
        </ActionButton>
      </div>
    </Panel>
  )
}

const TriesTable = ({ label, tries }: { label: string; tries: Delivery['attempts'] }) => (
  <DataTable
    label={label}
    rows={tries}
    empty={<p className="soft">Nothing was sent yet.</p>}
    columns={[
      ['Try', ({ number }) => number],
      ['Started', ({ started_at }) => momentText(started_at)],
      ['HTTP', ({ http_status }) => http_status ?? '–', 'end'],
      ['Took', ({ duration_ms }) => durationText(duration_ms), 'end'],
      ['Error', ({ error }) => <span className="long-text">{error ?? '–'}</span>],
      ['Answer', ({ response_excerpt }) => <pre className="long-text">{response_excerpt}</pre>],
    ]}
  />
)
