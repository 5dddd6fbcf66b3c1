import './webhooks.css'
import { useQuery } from '@tanstack/react-query'
import type { Webhook } from '@trawl/sdk'
import { useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { Facts, Loaded, Panel } from '../parts/panel.tsx'
import { momentText } from '../parts/value-text.ts'
import { readDeliveryFilters } from './delivery-filters.ts'
import { DeliveryList } from './delivery-list.tsx'
import { DeliveryView } from './delivery-view.tsx'
import { WebhookActions } from './webhook-actions.tsx'
import { eventNames, WebhookState } from './webhook-parts.tsx'
import { webhookQuery } from './webhook-queries.ts'

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

/** What a webhook is, and what can be done with it. */
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
