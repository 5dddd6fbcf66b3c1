import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { trawl } from '../client.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { SecretOnce } from '../parts/secret-once.tsx'

/** Creates a key, which is in the state of this dialog alone, and gone when it closes. */
export function NewKey({ onCreated }: { onCreated: () => Promise<void> }) {
  const [isOpen, setOpen] = useState(false)
  const [key, setKey] = useState<string>()
  const creating = useMutation({
    mutationFn: async (name: string) => {
      const created = await trawl.keys.create({ name })
      setKey(created.key)
    },
    onSuccess: onCreated,
  })
  const close = () => {
    setOpen(false)
    setKey(undefined)
    creating.reset()
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    creating.mutate(String(new FormData(event.currentTarget).get('name')))
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>New key</Button>
      <Dialog title={key ? 'Key created' : 'New key'} isOpen={isOpen} onClose={close}>
        {key ? (
          <SecretOnce label="The new API key" secret={key} />
        ) : (
          <form className="access-form" onSubmit={submit}>
            <Field
              label="Name"
              name="name"
              required={false}
              maxLength={100}
              hint="What the key is for; it appears in the list."
              autoComplete="off"
            />
            {creating.error && (
              <p role="alert" className="fault">
                {creating.error.message}
              </p>
            )}
            <div>
              <Button type="submit" kind="main" disabled={creating.isPending}>
                Create
              </Button>
            </div>
          </form>
        )}
      </Dialog>
    </>
  )
}
