import './webhooks.css'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { NewWebhook as Fields, Webhook } from '@trawl/sdk'
import { useState } from 'react'
import { Link } from 'wouter'
import { trawl } from '../client.ts'
import { Badge, Button } from '../parts/controls.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { EmptyState, SecretOnce, Unreadable } from '../parts/panel.tsx'
import { momentText } from '../parts/value-text.ts'
import { healthText } from './delivery-health.ts'
import { eventNames, WebhookForm } from './webhook-form.tsx'
import { deliveriesQuery, usePauseReason, webhooksQuery } from './webhook-queries.ts'

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
        [
          'URL',
          ({ id, url, description }) => (
            <div className="webhook-url">
              <Link href={`/app/webhooks/${id}`}>{url}</Link>
              {description && <div className="soft small">{description}</div>}
            </div>
          ),
        ],
        ['Event', ({ event_type }) => eventNames[event_type]],
        ['State', (webhook) => <State webhook={webhook} />],
        ['Last deliveries', (webhook) => <Health webhook={webhook} />],
        ['Created', ({ created_at }) => momentText(created_at)],
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

/** Creates a webhook. Its secret is in the state of this dialog alone: the cache of mutations keeps answers. */
function NewWebhook() {
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const [secret, setSecret] = useState<string>()
  const creating = useMutation({
    mutationFn: async (fields: Fields) => {
      const created = await trawl.webhooks.create(fields)
      setSecret(created.secret)
    },
    onSuccess: () => client.invalidateQueries({ queryKey: webhooksQuery.queryKey }),
  })
  const close = () => {
    setOpen(false)
    setSecret(undefined)
    creating.reset()
  }
  return (
    <>
      <Button kind="main" onClick={() => setOpen(true)}>
        New webhook
      </Button>
      <Dialog title={secret ? 'Webhook created' : 'New webhook'} isOpen={isOpen} onClose={close}>
        {secret ? (
          <>
            <p>This secret signs what is sent; the receiver verifies messages with it.</p>
            <SecretOnce label="Secret of the webhook" secret={secret} />
          </>
        ) : (
          <WebhookForm
            action="Create"
            isBusy={creating.isPending}
            error={creating.error}
            onSubmit={creating.mutate}
          />
        )}
      </Dialog>
    </>
  )
}
