import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ApiKey } from '@trawl/sdk'
import { type FormEvent, useState } from 'react'
import { trawl } from '../client.ts'
import { Button, Field } from '../parts/controls.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { ConfirmedAction, Dialog } from '../parts/dialog.tsx'
import { Panel, SecretOnce, Unreadable } from '../parts/panel.tsx'
import { momentText } from '../parts/value-text.ts'

const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: async ({ signal }) => (await trawl.keys.list({ signal })).keys,
})

export function ApiKeyList() {
  const { data, error } = useQuery(keysQuery)
  const client = useQueryClient()
  const readAgain = () => client.invalidateQueries({ queryKey: keysQuery.queryKey })
  return (
    <Panel title="API keys" beside={<NewKey onCreated={readAgain} />}>
      {error && <Unreadable error={error} />}
      {!data && !error && <p className="soft">Loading…</p>}
      {data?.length === 0 && (
        <p>No key yet. Programs call the service with one in the header x-api-key.</p>
      )}
      {data && data.length > 0 && (
        <DataTable
          label="API keys"
          rows={data}
          keyOf={({ id }) => id}
          columns={[
            ['Name', ({ name }) => name || <span className="soft">no name</span>],
            ['Begins with', ({ prefix }) => <code>{prefix}</code>],
            ['Created', ({ created_at }) => momentText(created_at)],
            [
              'Last used',
              ({ last_used_at }) => (last_used_at ? momentText(last_used_at) : 'never'),
            ],
            ['Action', (key) => <RevokeKey apiKey={key} onRevoked={readAgain} />],
          ]}
        />
      )}
    </Panel>
  )
}

function RevokeKey(props: { apiKey: ApiKey; onRevoked: () => Promise<void> }) {
  const { id, name, prefix } = props.apiKey
  const revoke = async () => {
    await trawl.keys.revoke(id)
    await props.onRevoked()
  }
  return (
    <ConfirmedAction name="Revoke" about={name || prefix} act={revoke}>
      <p>
        What calls with {name ? `“${name}” (${prefix}…)` : `${prefix}…`} is refused from now on, and
        sessions that were begun with it end. This cannot be taken back.
      </p>
    </ConfirmedAction>
  )
}

/** Creates a key, which is in the state of this dialog alone, and gone when it closes. */
function NewKey({ onCreated }: { onCreated: () => Promise<void> }) {
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
