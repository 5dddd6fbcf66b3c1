import './webhooks.css'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { Unreadable } from '../parts/unreadable.tsx'
import { readDeliveryFilters } from './delivery-filters.ts'
import { DeliveryList } from './delivery-list.tsx'
import { DeliveryView } from './delivery-view.tsx'
import { WebhookFacts } from './webhook-facts.tsx'
import { webhookQuery } from './webhook-queries.ts'

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
