import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { NewWebhook, PingOutcome, Webhook } from '@trawl/sdk'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { trawl } from '../client.ts'
import { Button, Field } from '../parts/controls.tsx'
import { ConfirmedAction, Dialog } from '../parts/dialog.tsx'
import { SecretOnce } from '../parts/panel.tsx'
import { countText, durationText } from '../parts/value-text.ts'
import { localMinute } from './delivery-times.ts'
import { WebhookForm } from './webhook-form.tsx'
import { webhookQuery, webhooksQuery } from './webhook-queries.ts'

export function WebhookActions({ webhook, onResent }: { webhook: Webhook; onResent: () => void }) {
  const { id, is_active, url } = webhook
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const testing = useMutation({ mutationFn: () => trawl.webhooks.test(id) })
  const switching = useMutation({
    mutationFn: () => trawl.webhooks.update(id, { is_active: !is_active }),
    onSuccess: (changed) => {
      client.setQueryData(webhookQuery(id).queryKey, changed)
      // What waited during the pause is sent now.
      onResent()
      return client.invalidateQueries({ queryKey: ['deliveries', id] })
    },
  })
  const remove = async () => {
    await trawl.webhooks.delete(id)
    navigate('/app/webhooks')
    client.removeQueries({ queryKey: webhookQuery(id).queryKey })
    void client.invalidateQueries({ queryKey: webhooksQuery.queryKey })
  }
  const error = testing.error ?? switching.error
  return (
    <>
      <div className="row">
        <Button disabled={testing.isPending} onClick={() => testing.mutate()}>
          Send a test event
        </Button>
        <WebhookChanges webhook={webhook} />
        <Button disabled={switching.isPending} onClick={() => switching.mutate()}>
          {is_active ? 'Pause' : 'Resume'}
        </Button>
        <RotateSecret webhookId={id} />
        <RecoverDeliveries webhookId={id} onResent={onResent} />
        <ConfirmedAction name="Delete" act={remove}>
          <p className="webhook-url">
            Nothing more is sent to {url}, also not what is pending. Its deliveries are no longer
            shown.
          </p>
        </ConfirmedAction>
        <span role="status">
          {testing.isPending && 'Sending…'}
          {testing.data && !testing.isPending && pingText(testing.data)}
        </span>
      </div>
      {error && (
        <p role="alert" className="fault">
          {error.message}
        </p>
      )}
    </>
  )
}

function pingText({ delivered, http_status, duration_ms, error }: PingOutcome): string {
  const took = durationText(duration_ms)
  if (delivered)
    return `The test event arrived: the receiver answered ${http_status} after ${took}.`
  return `The test event did not arrive, after ${took}: ${error}`
}

function WebhookChanges({ webhook }: { webhook: Webhook }) {
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const changing = useMutation({
    mutationFn: (fields: NewWebhook) => trawl.webhooks.update(webhook.id, fields),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: webhooksQuery.queryKey })
      setOpen(false)
    },
  })
  const open = () => {
    changing.reset()
    setOpen(true)
  }
  return (
    <>
      <Button onClick={open}>Edit</Button>
      <Dialog title="Edit webhook" isOpen={isOpen} onClose={() => setOpen(false)}>
        <WebhookForm
          given={webhook}
          action="Save"
          isBusy={changing.isPending}
          error={changing.error}
          onSubmit={changing.mutate}
        />
      </Dialog>
    </>
  )
}

/** Replaces the secret. The new one is in the state of this dialog alone, and gone when it closes. */
function RotateSecret({ webhookId }: { webhookId: string }) {
  const [isOpen, setOpen] = useState(false)
  const [secret, setSecret] = useState<string>()
  const rotating = useMutation({
    mutationFn: async () => {
      const rotated = await trawl.webhooks.rotateSecret(webhookId)
      setSecret(rotated.secret)
    },
  })
  const close = () => {
    setOpen(false)
    setSecret(undefined)
    rotating.reset()
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>Rotate the secret</Button>
      <Dialog
        title={secret ? 'The new secret' : 'Rotate the secret?'}
        isOpen={isOpen}
        onClose={close}
      >
        <p>
          {secret
            ? 'The old secret signs beside this one for 24 hours: give the receiver the new one until then.'
            : 'The webhook gets a new secret, shown once. The old one signs beside it for 24 hours, so that nothing is lost while the receiver changes.'}
        </p>
        {secret && <SecretOnce label="New secret of the webhook" secret={secret} />}
        {rotating.error && (
          <p role="alert" className="fault">
            {rotating.error.message}
          </p>
        )}
        {!secret && (
          <div>
            <Button kind="main" disabled={rotating.isPending} onClick={() => rotating.mutate()}>
              Rotate
            </Button>
          </div>
        )}
      </Dialog>
    </>
  )
}

const dayMs = 24 * 3_600_000

/** Sends again what failed or was skipped since a time that the reader gives. */
function RecoverDeliveries(props: { webhookId: string; onResent: () => void }) {
  const { webhookId, onResent } = props
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const recovering = useMutation({
    mutationFn: (since: string) => trawl.webhooks.recover(webhookId, { since }),
    onSuccess: () => {
      onResent()
      return client.invalidateQueries({ queryKey: ['deliveries', webhookId] })
    },
  })
  const open = () => {
    recovering.reset()
    setOpen(true)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const since = String(new FormData(event.currentTarget).get('since'))
    recovering.mutate(new Date(since).toISOString())
  }
  return (
    <>
      <Button onClick={open}>Recover…</Button>
      <Dialog title="Recover deliveries" isOpen={isOpen} onClose={() => setOpen(false)}>
        <form className="webhook-form" onSubmit={submit}>
          <p>Sends again, once each, what failed or was skipped since a time.</p>
          <Field
            label="Since"
            name="since"
            type="datetime-local"
            hint="In the time zone of this browser."
            defaultValue={localMinute(Date.now() - dayMs)}
          />
          {recovering.error && (
            <p role="alert" className="fault">
              {recovering.error.message}
            </p>
          )}
          <div className="row">
            <Button type="submit" kind="main" disabled={recovering.isPending}>
              Recover
            </Button>
            <span role="status">{recovering.data && sentText(recovering.data.recovered)}</span>
          </div>
        </form>
      </Dialog>
    </>
  )
}

const sentText = (count: number): string =>
  count === 0 ? 'Nothing failed or was skipped since then.' : `${countText(count)} sent again.`
