import './webhooks.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Webhook } from '@trawl/sdk'
import { Link } from 'wouter'
import { trawl } from '../client.ts'
import { DataTable } from '../parts/data-table.tsx'
import { FormDialog } from '../parts/dialog.tsx'
import { EmptyState, Loaded, SecretOnce } from '../parts/panel.tsx'
import { momentText } from '../parts/value-text.ts'
import { healthText } from './delivery-health.ts'
import { eventNames, readWebhookFields, WebhookFields, WebhookState } from './webhook-parts.tsx'
import { deliveriesQuery, webhooksQuery } from './webhook-queries.ts'

export const WebhooksPage = () => (
  <>
    <div>
      <NewWebhook />
    </div>
    <Loaded query={useQuery(webhooksQuery)}>{(rows) => <WebhookTable webhooks={rows} />}</Loaded>
  </>
)

const NoWebhook = () => (
  <EmptyState title="No webhook yet" command="npx trawl webhooks create https://example.com/events">
    A webhook posts an event to a URL whenever a page was scraped or a job has ended. Create one
    here, or by the command line:
  </EmptyState>
)

const WebhookTable = ({ webhooks }: { webhooks: Webhook[] }) => (
  <DataTable
    label="Webhooks"
    rows={webhooks}
    empty={<NoWebhook />}
    keyOf={({ id }) => id}
    columns={[
      ['URL', (webhook) => <WebhookLink webhook={webhook} />],
      ['Event', ({ event_type }) => eventNames[event_type]],
      ['State', (webhook) => <WebhookState webhook={webhook} />],
      ['Last deliveries', (webhook) => <Health webhook={webhook} />],
      ['Created', ({ created_at }) => momentText(created_at)],
    ]}
  />
)

const WebhookLink = ({ webhook: { id, url, description } }: { webhook: Webhook }) => (
  <div className="long-text">
    <Link href={`/app/webhooks/${id}`}>{url}</Link>
    {description && <div className="soft small">{description}</div>}
  </div>
)

function Health({ webhook }: { webhook: Webhook }) {
  const { data, error } = useQuery(deliveriesQuery(webhook.id, { page: 1 }))
  if (error) return '–'
  return data ? healthText(data.items) : '…'
}

function NewWebhook() {
  const client = useQueryClient()
  const create = async (fields: FormData) => {
    const { secret } = await trawl.webhooks.create(readWebhookFields(fields))
    void client.invalidateQueries({ queryKey: webhooksQuery.queryKey })
    const content = (
      <>
        <p>This secret signs what is sent; the receiver verifies messages with it.</p>
        <SecretOnce label="Secret of the webhook" secret={secret} />
      </>
    )
    return { title: 'Webhook created', content }
  }
  return (
    <FormDialog kind="main" name="New webhook" title="New webhook" action="Create" act={create}>
      <WebhookFields />
    </FormDialog>
  )
}
