import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { PingOutcome, Webhook } from '@trawl/sdk'
import { useLocation } from 'wouter'
import { trawl } from '../client.ts'
import { Button } from '../parts/button.tsx'
import { ConfirmedAction } from '../parts/confirmed-action.tsx'
import { durationText } from '../parts/number-text.ts'
import { RecoverDeliveries } from './recover-deliveries.tsx'
import { RotateSecret } from './rotate-secret.tsx'
import { WebhookChanges } from './webhook-changes.tsx'
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
