import { useQueryClient } from '@tanstack/react-query'
import type { PingOutcome, Webhook } from '@trawl/sdk'
import { useLocation } from 'wouter'
import { trawl } from '../client.ts'
import { ActionButton, Field } from '../parts/controls.tsx'
import { ConfirmedAction, FormDialog } from '../parts/dialog.tsx'
import { SecretOnce } from '../parts/panel.tsx'
import { countText, durationText } from '../parts/value-text.ts'
import { localMinute } from './delivery-times.ts'
import { readWebhookFields, WebhookFields } from './webhook-parts.tsx'
import { webhookQuery, webhooksQuery } from './webhook-queries.ts'

export function WebhookActions({ webhook, onResent }: { webhook: Webhook; onResent: () => void }) {
  const { id, is_active, url } = webhook
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const readDeliveries = async () => {
    onResent()
    await client.invalidateQueries({ queryKey: ['deliveries', id] })
  }
  const change = async (fields: FormData) => {
    await trawl.webhooks.update(id, readWebhookFields(fields))
    await client.invalidateQueries({ queryKey: webhooksQuery.queryKey })
  }
  const turn = async () => {
    const changed = await trawl.webhooks.update(id, { is_active: !is_active })
    client.setQueryData(webhookQuery(id).queryKey, changed)
    // What waited during the pause is sent now.
    await readDeliveries()
  }
  const recover = async (fields: FormData) => {
    const since = new Date(String(fields.get('since'))).toISOString()
    const { recovered } = await trawl.webhooks.recover(id, { since })
    await readDeliveries()
    return { said: sentText(recovered) }
  }
  const remove = async () => {
    await trawl.webhooks.delete(id)
    navigate('/app/webhooks')
    client.removeQueries({ queryKey: webhookQuery(id).queryKey })
    void client.invalidateQueries({ queryKey: webhooksQuery.queryKey })
  }
  return (
    <div className="row">
      <ActionButton busy="Sending…" act={async () => pingText(await trawl.webhooks.test(id))}>
        Send a test event
      </ActionButton>
      <FormDialog name="Edit" title="Edit webhook" action="Save" act={change}>
        <WebhookFields given={webhook} />
      </FormDialog>
      <ActionButton act={turn}>{is_active ? 'Pause' : 'Resume'}</ActionButton>
      <RotateSecret webhookId={id} />
      <FormDialog name="Recover…" title="Recover deliveries" action="Recover" act={recover}>
        <p>Sends again, once each, what failed or was skipped since a time.</p>
        <Field
          label="Since"
          name="since"
          type="datetime-local"
          hint="In the time zone of this browser."
          defaultValue={localMinute(Date.now() - dayMs)}
        />
      </FormDialog>
      <ConfirmedAction name="Delete" act={remove}>
        <p className="long-text">
          Nothing more is sent to {url}, also not what is pending. Its deliveries are no longer
          shown.
        </p>
      </ConfirmedAction>
    </div>
  )
}

const dayMs = 24 * 3_600_000

const sentText = (count: number): string =>
  count === 0 ? 'Nothing failed or was skipped since then.' : `${countText(count)} sent again.`

function pingText({ delivered, http_status, duration_ms, error }: PingOutcome): string {
  const took = durationText(duration_ms)
  if (delivered)
    return `The test event arrived: the receiver answered ${http_status} after ${took}.`
  return `The test event did not arrive, after ${took}: ${error}`
}

function RotateSecret({ webhookId }: { webhookId: string }) {
  const rotate = async () => {
    const { secret } = await trawl.webhooks.rotateSecret(webhookId)
    const content = (
      <>
        <p>
          The old secret signs beside this one for 24 hours: give the receiver the new one until
          then.
        </p>
        <SecretOnce label="New secret of the webhook" secret={secret} />
      </>
    )
    return { title: 'The new secret', content }
  }
  return (
    <FormDialog name="Rotate the secret" title="Rotate the secret?" action="Rotate" act={rotate}>
      <p>
        The webhook gets a new secret, shown once. The old one signs beside it for 24 hours, so that
        nothing is lost while the receiver changes.
      </p>
    </FormDialog>
  )
}
