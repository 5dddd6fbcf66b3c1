import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { NewWebhook as Fields } from '@trawl/sdk'
import { useState } from 'react'
import { trawl } from '../client.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { SecretOnce } from '../parts/secret-once.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { webhooksQuery } from './webhook-queries.ts'

/** Creates a webhook. Its secret is in the state of this dialog alone: the cache of mutations keeps answers. */
export function NewWebhook() {
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
