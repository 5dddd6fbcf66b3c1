import './webhooks.css'
import { useQuery } from '@tanstack/react-query'
import type { Webhook, WebhookDelivery, WebhookDeliveryList } from '@trawl/sdk'
import { useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { Badge, Button, Choice } from '../parts/controls.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { Facts, Loaded, Panel } from '../parts/panel.tsx'
import { countText, momentText } from '../parts/value-text.ts'
import {
  type DeliveryFilters,
  deliveryStatuses,
  readDeliveryFilters,
  withDeliveryFilters,
} from './delivery-filters.ts'
import { toneOfDelivery } from './delivery-health.ts'
import { DeliveryView } from './delivery-view.tsx'
import { WebhookActions } from './webhook-actions.tsx'
import { eventNames, WebhookState } from './webhook-parts.tsx'
import { deliveriesQuery, webhookQuery } from './webhook-queries.ts'

/** One webhook: what it is, what can be done with it, and what became of its deliveries. */
export function WebhookDetail({ id }: { id: string }) {
  const query = useQuery(webhookQuery(id))
  const [search] = useSearchParams()
  const filters = readDeliveryFilters(search)
  // What is sent again keeps its status until it is sent, so that only we know that something comes.
  const [resentAtMs, setResentAtMs] = useState(0)
  const noteResent = () => setResentAtMs(Date.now())
  return (
    <>
      {/* Trouble stands beside what was read before: a dialog may be open there, with a secret. */}
      <Loaded query={query}>
        {(webhook) => (
          <>
            <WebhookFacts webhook={webhook} onResent={noteResent} />
            <DeliveryList webhook={webhook} filters={filters} resentAtMs={resentAtMs} />
            {filters.delivery && (
              <DeliveryView
                key={filters.delivery}
                webhookId={id}
                deliveryId={filters.delivery}
                resentAtMs={resentAtMs}
                onResent={noteResent}
              />
            )}
          </>
        )}
      </Loaded>
      {query.error && !query.data && <Link href="/app/webhooks">All webhooks</Link>}
    </>
  )
}

const WebhookFacts = ({ webhook, onResent }: { webhook: Webhook; onResent: () => void }) => (
  <Panel title="Settings" beside={<Link href="/app/webhooks">All webhooks</Link>}>
    <Facts
      facts={{
        URL: webhook.url,
        Event: eventNames[webhook.event_type],
        Description: webhook.description || null,
        State: <WebhookState webhook={webhook} />,
        Created: momentText(webhook.created_at),
        Changed: momentText(webhook.updated_at),
      }}
    />
    <WebhookActions webhook={webhook} onResent={onResent} />
  </Panel>
)

/** What was sent, the newest first. */
function DeliveryList(props: { webhook: Webhook; filters: DeliveryFilters; resentAtMs: number }) {
  const { webhook, filters, resentAtMs } = props
  const [, setSearch] = useSearchParams()
  const deliveries = useQuery(deliveriesQuery(webhook.id, filters, resentAtMs))
  const choose = (status: string) =>
    setSearch((search) => withDeliveryFilters(search, { status }), { replace: true })
  const filter = (
    <Choice label="Status" value={filters.status} options={deliveryStatuses} onChange={choose} />
  )
  return (
    <Panel title="Deliveries" beside={filter}>
      <Loaded query={deliveries}>
        {(list) => (
          <>
            <DeliveryTable rows={list.items} filters={filters} />
            <Pages list={list} />
          </>
        )}
      </Loaded>
    </Panel>
  )
}

const DeliveryTable = ({
  rows,
  filters,
}: {
  rows: WebhookDelivery[]
  filters: DeliveryFilters
}) => (
  <DataTable
    label="Deliveries"
    rows={rows}
    empty={
      <p className="soft">
        {filters.status || filters.page > 1
          ? 'No delivery fits.'
          : 'Nothing was sent yet. It appears here as soon as its event happens.'}
      </p>
    }
    keyOf={({ id }) => id}
    columns={[
      ['Happened', (delivery) => <OpenDelivery delivery={delivery} filters={filters} />],
      ['Status', ({ status }) => <Badge tone={toneOfDelivery[status]}>{status}</Badge>],
      ['HTTP', ({ http_status }) => http_status ?? '–', 'end'],
      ['Attempts', ({ attempt_number }) => countText(attempt_number), 'end'],
      ['Delivered', ({ delivered_at }) => momentText(delivered_at)],
    ]}
  />
)

/** The time of the event, which opens its delivery below. */
function OpenDelivery(props: { delivery: WebhookDelivery; filters: DeliveryFilters }) {
  const { delivery, filters } = props
  const [search] = useSearchParams()
  const isOpen = filters.delivery === delivery.id
  const next = withDeliveryFilters(search, { delivery: isOpen ? '' : delivery.id })
  return (
    <Link href={`?${next}`} aria-current={isOpen || undefined}>
      <span className="hidden-text">Delivery of </span>
      {momentText(delivery.created_at)}
    </Link>
  )
}

function Pages({ list: { page, page_count } }: { list: WebhookDeliveryList }) {
  const [, setSearch] = useSearchParams()
  const turnTo = (to: number) => setSearch((search) => withDeliveryFilters(search, { page: to }))
  if (page_count <= 1 && page === 1) return null
  return (
    <div className="row">
      <Button disabled={page === 1} onClick={() => turnTo(page - 1)}>
        Newer
      </Button>
      <span className="small soft">
        Page {countText(page)} of {countText(page_count)}
      </span>
      <Button disabled={page >= page_count} onClick={() => turnTo(page + 1)}>
        Older
      </Button>
    </div>
  )
}
