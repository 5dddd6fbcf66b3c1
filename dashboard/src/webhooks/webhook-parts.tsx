import type { NewWebhook, Webhook } from '@trawl/sdk'
import { Badge, Field, Select } from '../parts/controls.tsx'
import { usePauseReason } from './webhook-queries.ts'

/** Every event that a webhook can hear of; a new one in the API is a missing line here. */
export const eventNames = {
  extract_completed: 'A page was scraped',
  batch_completed: 'A batch has ended',
  crawl_completed: 'A crawl has ended',
} as const satisfies Record<Webhook['event_type'], string>

export const WebhookFields = ({ given }: { given?: NewWebhook }) => (
  <>
    <Field
      label="URL"
      name="url"
      type="url"
      hint="Where events are posted to, http or https."
      defaultValue={given?.url}
      maxLength={2048}
    />
    <Select label="Event" name="event_type" defaultValue={given?.event_type} options={eventNames} />
    <Field
      label="Description"
      name="description"
      required={false}
      maxLength={255}
      defaultValue={given?.description ?? ''}
    />
  </>
)

export const readWebhookFields = (fields: FormData): NewWebhook =>
  Object.fromEntries(fields) as unknown as NewWebhook

/** Whether it sends, or why it does not. */
export function WebhookState({ webhook }: { webhook: Webhook }) {
  const reason = usePauseReason(webhook)
  if (reason === undefined) return <Badge tone="good">active</Badge>
  return (
    <>
      <Badge tone="warn">paused</Badge>
      <div className="soft small">{reason}</div>
    </>
  )
}
