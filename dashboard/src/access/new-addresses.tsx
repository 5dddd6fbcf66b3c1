import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { trawl } from '../client.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { addressesQuery } from './access-queries.ts'
import { readAddresses } from './read-addresses.ts'

/** Adds one address or many, all of them or none. */
export function NewAddresses() {
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const adding = useMutation({
    mutationFn: async ({ typed, description }: { typed: string; description: string }) =>
      trawl.whitelistedIps.add(readAddresses(typed).map((ip) => ({ ip, description }))),
    onSuccess: ({ data }) => {
      client.setQueryData(addressesQuery.queryKey, data)
      setOpen(false)
    },
  })
  const open = () => {
    adding.reset()
    setOpen(true)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    adding.mutate({
      typed: String(fields.get('addresses')),
      description: String(fields.get('description')),
    })
  }
  return (
    <>
      <Button onClick={open}>Add addresses</Button>
      <Dialog title="Add addresses" isOpen={isOpen} onClose={() => setOpen(false)}>
        <form className="access-form" onSubmit={submit}>
          <div className="field">
            <label htmlFor={id}>Addresses</label>
            <textarea id={id} name="addresses" rows={4} required aria-describedby={`${id}-hint`} />
            <span id={`${id}-hint`} className="soft small">
              IPv4, IPv6 or a block such as 203.0.113.0/24; one a line, up to ten.
            </span>
          </div>
          <Field label="Note" name="description" required={false} maxLength={255} />
          {adding.error && (
            <p role="alert" className="fault">
              {adding.error.message}
            </p>
          )}
          <div>
            <Button type="submit" kind="main" disabled={adding.isPending}>
              Add
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  )
}
