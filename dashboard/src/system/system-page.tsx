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
        columns={[
          ['Check', ({ name }) => name],
          ['Status', ({ status }) => <Badge tone={toneOfCheck[status]}>{status}</Badge>],
          ['Detail', ({ detail }) => detail],
          ['What to do', ({ fix }) => fix ?? '–'],
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
          [
            'Process',
            ({ id, is_this }) => (
              <>
                <code>{id}</code> {is_this && <Badge>this one</Badge>}
              </>
            ),
          ],
          ['Listens on', ({ listens_on }) => listens_on.join(', ') || '–'],
          [
            'Runs at once',
            ({ lanes }) => lanes.map(({ lane, slots }) => `${lane} ${slots}`).join(', '),
          ],
          ['Last seen', ({ last_seen_at }) => timeText(last_seen_at)],
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
        columns={[
          ['Setting', ({ name }) => <code>{name}</code>],
          ['Value', ({ value }) => value],
          ['From', ({ origin }) => origin],
        ]}
      />
    </Panel>
  )
}
