import './webhooks.css'
import { useQuery } from '@tanstack/react-query'
import type { Webhook } from '@trawl/sdk'
import { Link } from 'wouter'
import { Badge } from '../parts/badge.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { momentText } from '../parts/moment-text.ts'
import { Unreadable } from '../parts/unreadable.tsx'
import { healthText } from './delivery-health.ts'
import { eventNames } from './event-names.ts'
import { NewWebhook } from './new-webhook.tsx'
import { usePauseReason } from './use-pause-reason.ts'
import { deliveriesQuery, webhooksQuery } from './webhook-queries.ts'

export function WebhooksPage() {
  const { data, error } = useQuery(webhooksQuery)
  return (
    <>
      <div>
        <NewWebhook />
      </div>
      {error && <Unreadable error={error} />}
      {!data && !error && <p className="soft">Loading…</p>}
      {data?.length === 0 && (
        <EmptyState
          title="No webhook yet"
          command="npx trawl webhooks create https://example.com/events"
        >
          A webhook posts an event to a URL whenever a page was scraped or a job has ended. Create
          one here, or by the command line:
        </EmptyState>
      )}
      {data && data.length > 0 && <WebhookTable webhooks={data} />}
    </>
  )
}

function WebhookTable({ webhooks }: { webhooks: Webhook[] }) {
  return (
    <DataTable
      label="Webhooks"
      rows={webhooks}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'URL',
          cell: ({ id, url, description }) => (
            <div className="webhook-url">
              <Link href={`/app/webhooks/${id}`}>{url}</Link>
              {description && <div className="soft small">{description}</div>}
            </div>
          ),
        },
        { name: 'Event', cell: ({ event_type }) => eventNames[event_type] },
        { name: 'State', cell: (webhook) => <State webhook={webhook} /> },
        { name: 'Last deliveries', cell: (webhook) => <Health webhook={webhook} /> },
        { name: 'Created', cell: ({ created_at }) => momentText(created_at) },
      ]}
    />
  )
}

function State({ webhook }: { webhook: Webhook }) {
  const reason = usePauseReason(webhook)
  if (reason === undefined) return <Badge tone="good">active</Badge>
  return (
    <>
      <Badge tone="warn">paused</Badge>
      <div className="soft small">{reason}</div>
    </>
  )
}

function Health({ webhook }: { webhook: Webhook }) {
  const { data, error } = useQuery(deliveriesQuery(webhook.id, { page: 1 }))
  if (error) return <>–</>
  return <>{data ? healthText(data.items) : '…'}</>
}
