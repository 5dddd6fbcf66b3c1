import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { TaskDetails } from '@trawl/sdk'
import { useState } from 'react'
import { Link } from 'wouter'
import { trawl } from '../client.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { momentText } from '../parts/moment-text.ts'
import { durationText } from '../parts/number-text.ts'
import { Panel } from '../parts/panel.tsx'
import { toneOfDelivery } from '../webhooks/delivery-health.ts'
import { taskQuery } from './opened-task.ts'

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
  const sending = useMutation({
    mutationFn: async (): Promise<unknown> =>
      webhook_id === null
        ? trawl.scraper.redeliver(taskId)
        : trawl.webhooks.redeliver(webhook_id, id),
    onSuccess: () => setResentAtMs(Date.now()),
    onSettled: () => client.invalidateQueries({ queryKey: taskQuery(taskId).queryKey }),
  })
  const title = webhook_id === null ? 'Callback' : `Webhook event ${event_type ?? ''}`
  return (
    <Panel title={title} beside={<Badge tone={toneOfDelivery[status]}>{status}</Badge>}>
      {webhook_id && <Link href={`/app/webhooks/${webhook_id}`}>Its webhook</Link>}
      {next_attempt_at && <p>It is tried again at {momentText(next_attempt_at)}.</p>}
      {attempts.length === 0 ? (
        <p className="soft">Nothing was sent yet.</p>
      ) : (
        <TriesTable label={`Tries of the ${title.toLowerCase()}`} tries={attempts} />
      )}
      <div className="row">
        <Button disabled={sending.isPending} onClick={() => sending.mutate()}>
          Send again<span className="hidden-text"> {title}</span>
        </Button>
        <span role="status" className="small">
          {sending.isSuccess && 'It is sent once more.'}
          {sending.error && `Not sent: ${sending.error.message}`}
        </span>
      </div>
    </Panel>
  )
}

const TriesTable = ({ label, tries }: { label: string; tries: Delivery['attempts'] }) => (
  <DataTable
    label={label}
    rows={tries}
    keyOf={({ number }) => String(number)}
    columns={[
      { name: 'Try', cell: ({ number }) => number },
      { name: 'Started', cell: ({ started_at }) => momentText(started_at) },
      { name: 'HTTP', align: 'end', cell: ({ http_status }) => http_status ?? '–' },
      { name: 'Took', align: 'end', cell: ({ duration_ms }) => durationText(duration_ms) },
      { name: 'Error', cell: ({ error }) => <span className="long-text">{error ?? '–'}</span> },
      {
        name: 'Answer',
        cell: ({ response_excerpt }) => <pre className="console-text">{response_excerpt}</pre>,
      },
    ]}
  />
)
