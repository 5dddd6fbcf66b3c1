import './webhooks.css'
import { useQuery } from '@tanstack/react-query'
import type { Webhook } from '@trawl/sdk'
import { useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { Badge } from '../parts/controls.tsx'
import { Panel, Unreadable } from '../parts/panel.tsx'
import { momentText } from '../parts/value-text.ts'
import { readDeliveryFilters } from './delivery-filters.ts'
import { DeliveryList } from './delivery-list.tsx'
import { DeliveryView } from './delivery-view.tsx'
import { WebhookActions } from './webhook-actions.tsx'
import { eventNames } from './webhook-form.tsx'
import { usePauseReason, webhookQuery } from './webhook-queries.ts'

/** One webhook: what it is, what can be done with it, and what became of its deliveries. */
export function WebhookDetail({ id }: { id: string }) {
  const { data: webhook, error } = useQuery(webhookQuery(id))
  const [search] = useSearchParams()
  const filters = readDeliveryFilters(search)
  // What is sent again keeps its status until it is sent, so that only we know that something comes.
  const [resentAtMs, setResentAtMs] = useState(0)
  const noteResent = () => setResentAtMs(Date.now())
  if (!webhook && error) {
    return (
      <>
        <Unreadable error={error} />
        <p>
          <Link href="/app/webhooks">All webhooks</Link>
        </p>
      </>
    )
  }
  if (!webhook) return <p className="soft">Loading…</p>
  return (
    <>
      {/* Beside what was read before: a dialog may be open in it, with a secret that is shown once. */}
      {error && <Unreadable error={error} />}
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
  )
}

/** What a webhook is, and what can be done with it. */
function WebhookFacts({ webhook, onResent }: { webhook: Webhook; onResent: () => void }) {
  const reason = usePauseReason(webhook)
  return (
    <Panel title="Settings" beside={<Link href="/app/webhooks">All webhooks</Link>}>
      <dl className="facts">
        <dt>URL</dt>
        <dd className="webhook-url">{webhook.url}</dd>
        <dt>Event</dt>
        <dd>{eventNames[webhook.event_type]}</dd>
        {webhook.description && (
          <>
            <dt>Description</dt>
            <dd className="webhook-url">{webhook.description}</dd>
          </>
        )}
        <dt>State</dt>
        <dd>
          {reason === undefined ? (
            <Badge tone="good">active</Badge>
          ) : (
            <>
              <Badge tone="warn">paused</Badge> {reason}
            </>
          )}
        </dd>
        <dt>Created</dt>
        <dd>{momentText(webhook.created_at)}</dd>
        <dt>Changed</dt>
        <dd>{momentText(webhook.updated_at)}</dd>
      </dl>
      <WebhookActions webhook={webhook} onResent={onResent} />
    </Panel>
  )
}
