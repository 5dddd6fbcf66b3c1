import { useQuery } from '@tanstack/react-query'
import type { Webhook, WebhookDelivery, WebhookDeliveryList } from '@trawl/sdk'
import { useId } from 'react'
import { Link, useSearchParams } from 'wouter'
import { Badge, Button } from '../parts/controls.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { Panel, Unreadable } from '../parts/panel.tsx'
import { countText, momentText } from '../parts/value-text.ts'
import { type DeliveryFilters, deliveryStatuses, withDeliveryFilters } from './delivery-filters.ts'
import { toneOfDelivery } from './delivery-health.ts'
import { deliveriesQuery } from './webhook-queries.ts'

/** What was sent, the newest first. */
export function DeliveryList(props: {
  webhook: Webhook
  filters: DeliveryFilters
  resentAtMs: number
}) {
  const { webhook, filters, resentAtMs } = props
  const { data, error } = useQuery(deliveriesQuery(webhook.id, filters, resentAtMs))
  return (
    <Panel title="Deliveries" beside={<StatusFilter filters={filters} />}>
      {error && <Unreadable error={error} />}
      {data?.items.length === 0 && (
        <p className="soft">
          {filters.status || filters.page > 1
            ? 'No delivery fits.'
            : 'Nothing was sent yet. It appears here as soon as its event happens.'}
        </p>
      )}
      {data && data.items.length > 0 && (
        <DataTable
          label="Deliveries"
          rows={data.items}
          keyOf={({ id }) => id}
          columns={[
            ['Happened', (delivery) => <OpenDelivery delivery={delivery} filters={filters} />],
            ['Status', ({ status }) => <Badge tone={toneOfDelivery[status]}>{status}</Badge>],
            ['HTTP', ({ http_status }) => http_status ?? '–', 'end'],
            ['Attempts', ({ attempt_number }) => countText(attempt_number), 'end'],
            ['Delivered', ({ delivered_at }) => momentText(delivered_at)],
          ]}
        />
      )}
      {data && <Pages list={data} />}
    </Panel>
  )
}

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

function StatusFilter({ filters }: { filters: DeliveryFilters }) {
  const [, setSearch] = useSearchParams()
  const id = useId()
  return (
    <div className="row">
      <label htmlFor={id}>Status</label>
      <span className="field">
        <select
          id={id}
          value={filters.status ?? ''}
          onChange={({ target }) =>
            setSearch((search) => withDeliveryFilters(search, { status: target.value }), {
              replace: true,
            })
          }
        >
          <option value="">any</option>
          {deliveryStatuses.map((status) => (
            <option key={status} value={status}>
              {status}
            </option>
          ))}
        </select>
      </span>
    </div>
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
