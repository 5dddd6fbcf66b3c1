import type { NewWebhook, Webhook } from '@trawl/sdk'
import { type FormEvent, useId } from 'react'
import { Button, Field } from '../parts/controls.tsx'

/** The fields of a webhook, for a new one and for a change. */
export function WebhookForm(props: {
  given?: NewWebhook
  action: string
  isBusy: boolean
  error: Error | null
  onSubmit: (fields: NewWebhook) => void
}) {
  const { given, error } = props
  const eventId = useId()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    props.onSubmit(Object.fromEntries(new FormData(event.currentTarget)) as unknown as NewWebhook)
  }
  return (
    <form className="webhook-form" onSubmit={submit}>
      <Field
        label="URL"
        name="url"
        type="url"
        hint="Where events are posted to, http or https."
        defaultValue={given?.url}
        maxLength={2048}
      />
      <div className="field">
        <label htmlFor={eventId}>Event</label>
        <select id={eventId} name="event_type" defaultValue={given?.event_type}>
          {Object.entries(eventNames).map(([type, name]) => (
            <option key={type} value={type}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <Field
        label="Description"
        name="description"
        required={false}
        maxLength={255}
        defaultValue={given?.description ?? ''}
      />
      {error && (
        <p role="alert" className="fault">
          {error.message}
        </p>
      )}
      <div>
        <Button type="submit" kind="main" disabled={props.isBusy}>
          {props.action}
        </Button>
      </div>
    </form>
  )
}

type EventName = Webhook['event_type']

/** Every event that a webhook can hear of; a new one in the API is a missing line here. */
export const eventNames = {
  extract_completed: 'A page was scraped',
  batch_completed: 'A batch has ended',
  crawl_completed: 'A crawl has ended',
} as const satisfies Record<EventName, string>
