import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ApiKey } from '@trawl/sdk'
import { trawl } from '../client.ts'
import { ConfirmedAction } from '../parts/confirmed-action.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { momentText } from '../parts/moment-text.ts'
import { Panel } from '../parts/panel.tsx'
import { Unreadable } from '../parts/unreadable.tsx'
import { NewKey } from './new-key.tsx'

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
            { name: 'Name', cell: ({ name }) => name || <span className="soft">no name</span> },
            { name: 'Begins with', cell: ({ prefix }) => <code>{prefix}</code> },
            { name: 'Created', cell: ({ created_at }) => momentText(created_at) },
            {
              name: 'Last used',
              cell: ({ last_used_at }) => (last_used_at ? momentText(last_used_at) : 'never'),
            },
            {
              name: 'Action',
              cell: (key) => <RevokeKey apiKey={key} onRevoked={readAgain} />,
            },
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
