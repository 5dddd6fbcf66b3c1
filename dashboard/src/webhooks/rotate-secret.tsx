import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { trawl } from '../client.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { SecretOnce } from '../parts/secret-once.tsx'

/** Replaces the secret. The new one is in the state of this dialog alone, and gone when it closes. */
export function RotateSecret({ webhookId }: { webhookId: string }) {
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
