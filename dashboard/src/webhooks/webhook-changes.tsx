import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { NewWebhook, Webhook } from '@trawl/sdk'
import { useState } from 'react'
import { trawl } from '../client.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { webhooksQuery } from './webhook-queries.ts'

export function WebhookChanges({ webhook }: { webhook: Webhook }) {
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
