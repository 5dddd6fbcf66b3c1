import { useQuery } from '@tanstack/react-query'
import type { System } from '@trawl/sdk'
import { trawl } from '../client.ts'
import { Badge, type Tone } from '../parts/controls.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { OperatorOnly, Panel, Unreadable } from '../parts/panel.tsx'
import { bytesText, durationText, timeText } from '../parts/value-text.ts'

export const SystemPage = () => (
  <OperatorOnly>
    <WholeSystem />
  </OperatorOnly>
)

function WholeSystem() {
  const { data, error } = useQuery({
    queryKey: ['system'],
    queryFn: ({ signal }) => trawl.getSystem({ signal }),
    refetchInterval: 30_000,
  })
  if (error) return <Unreadable error={error} />
  if (!data) return <p className="soft">Loading…</p>
  return (
    <>
      <ServiceFacts system={data} />
      <Checks checks={data.checks} />
      <Processes processes={data.processes} />
      <Settings settings={data.settings} />
    </>
  )
}

function ServiceFacts({ system }: { system: System }) {
  const { version, uptime_seconds, roles, store, disk } = system
  return (
    <Panel title="This process">
      <dl className="facts">
        <dt>Version</dt>
        <dd>{version}</dd>
        <dt>Runs for</dt>
        <dd>{durationText(uptime_seconds * 1_000)}</dd>
        <dt>Roles</dt>
        <dd>{roles.join(', ')}</dd>
        <dt>Store</dt>
        <dd>
          {store.kind}, {bytesText(store.bytes)}
        </dd>
        {disk && (
          <>
            <dt>Disk</dt>
            <dd>
              {bytesText(disk.free_bytes)} of {bytesText(disk.total_bytes)} free
            </dd>
          </>
        )}
      </dl>
    </Panel>
  )
}

const toneOfCheck: Record<System['checks'][number]['status'], Tone> = {
  ok: 'good',
  warning: 'warn',
  broken: 'bad',
}

function Checks({ checks }: { checks: System['checks'] }) {
  return (
    <Panel title="Checks">
      <DataTable
        label="Checks"
        rows={checks}
        keyOf={({ name }) => name}
        columns={[
          { name: 'Check', cell: ({ name }) => name },
          {
            name: 'Status',
            cell: ({ status }) => <Badge tone={toneOfCheck[status]}>{status}</Badge>,
          },
          { name: 'Detail', cell: ({ detail }) => detail },
          { name: 'What to do', cell: ({ fix }) => fix ?? '–' },
        ]}
      />
    </Panel>
  )
}

function Processes({ processes }: { processes: System['processes'] }) {
  return (
    <Panel title="Processes on this store">
      <DataTable
        label="Processes on this store"
        rows={processes}
        keyOf={({ id }) => id}
        columns={[
          {
            name: 'Process',
            cell: ({ id, is_this }) => (
              <>
                <code>{id}</code> {is_this && <Badge>this one</Badge>}
              </>
            ),
          },
          { name: 'Listens on', cell: ({ listens_on }) => listens_on.join(', ') || '–' },
          {
            name: 'Runs at once',
            cell: ({ lanes }) => lanes.map(({ lane, slots }) => `${lane} ${slots}`).join(', '),
          },
          { name: 'Last seen', cell: ({ last_seen_at }) => timeText(last_seen_at) },
        ]}
      />
    </Panel>
  )
}

function Settings({ settings }: { settings: System['settings'] }) {
  return (
    <Panel title="Settings and where they come from">
      <DataTable
        label="Settings and where they come from"
        rows={settings}
        keyOf={({ name }) => name}
        columns={[
          { name: 'Setting', cell: ({ name }) => <code>{name}</code> },
          { name: 'Value', cell: ({ value }) => value },
          { name: 'From', cell: ({ origin }) => origin },
        ]}
      />
    </Panel>
  )
}
