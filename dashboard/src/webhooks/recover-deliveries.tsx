import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { trawl } from '../client.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { countText } from '../parts/number-text.ts'
import { localMinute } from './local-minute.ts'

const dayMs = 24 * 3_600_000

/** Sends again what failed or was skipped since a time that the reader gives. */
export function RecoverDeliveries(props: { webhookId: string; onResent: () => void }) {
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
