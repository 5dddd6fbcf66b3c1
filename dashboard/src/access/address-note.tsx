import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { trawl } from '../client.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { addressesQuery } from './access-queries.ts'

/** Changes what is noted about an address. */
export function AddressNote({ ip, note }: { ip: string; note: string }) {
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const saving = useMutation({
    mutationFn: (description: string) => trawl.whitelistedIps.update({ ip, description }),
    onSuccess: ({ data }) => {
      client.setQueryData(addressesQuery.queryKey, data)
      setOpen(false)
    },
  })
  const open = () => {
    saving.reset()
    setOpen(true)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    saving.mutate(String(new FormData(event.currentTarget).get('description')))
  }
  return (
    <>
      <Button onClick={open}>
        Edit note<span className="hidden-text"> of {ip}</span>
      </Button>
      <Dialog title={`Note of ${ip}`} isOpen={isOpen} onClose={() => setOpen(false)}>
        <form className="access-form" onSubmit={submit}>
          <Field
            label="Note"
            name="description"
            required={false}
            maxLength={255}
            defaultValue={note}
          />
          {saving.error && (
            <p role="alert" className="fault">
              {saving.error.message}
            </p>
          )}
          <div>
            <Button type="submit" kind="main" disabled={saving.isPending}>
              Save
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  )
}
