import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ApiKey } from '@trawl/sdk'
import { trawl } from '../client.ts'
import { Field } from '../parts/controls.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { ConfirmedAction, FormDialog } from '../parts/dialog.tsx'
import { Loaded, Panel, SecretOnce } from '../parts/panel.tsx'
import { momentText } from '../parts/value-text.ts'

const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: async ({ signal }) => (await trawl.keys.list({ signal })).keys,
})

export function ApiKeyList() {
  const keys = useQuery(keysQuery)
  const client = useQueryClient()
  const readAgain = () => client.invalidateQueries({ queryKey: keysQuery.queryKey })
  return (
    <Panel title="API keys" beside={<NewKey onCreated={readAgain} />}>
      <Loaded query={keys}>
        {(rows) => (
          <DataTable
            label="API keys"
            rows={rows}
            empty={<p>No key yet. Programs call the service with one in the header x-api-key.</p>}
            keyOf={({ id }) => id}
            columns={[
              ['Name', ({ name }) => name || <span className="soft">no name</span>],
              ['Begins with', ({ prefix }) => <code>{prefix}</code>],
              ['Created', ({ created_at }) => momentText(created_at)],
              ['Last used', ({ last_used_at: at }) => (at ? momentText(at) : 'never')],
              ['Action', (key) => <RevokeKey apiKey={key} onRevoked={readAgain} />],
            ]}
          />
        )}
      </Loaded>
    </Panel>
  )
}

function NewKey({ onCreated }: { onCreated: () => Promise<void> }) {
  const create = async (fields: FormData) => {
    const { key } = await trawl.keys.create({ name: String(fields.get('name')) })
    void onCreated()
    return { title: 'Key created', content: <SecretOnce label="The new API key" secret={key} /> }
  }
  return (
    <FormDialog name="New key" title="New key" action="Create" act={create}>
      <Field
        label="Name"
        name="name"
        required={false}
        maxLength={100}
        hint="What the key is for; it appears in the list."
        autoComplete="off"
      />
    </FormDialog>
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
