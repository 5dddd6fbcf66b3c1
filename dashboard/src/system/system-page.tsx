import { useQuery } from '@tanstack/react-query'
import type { System } from '@trawl/sdk'
import { trawl } from '../client.ts'
import { Badge, type Tone } from '../parts/controls.tsx'
import { type Column, DataTable } from '../parts/data-table.tsx'
import { Facts, Loaded, OperatorOnly, Panel } from '../parts/panel.tsx'
import { bytesText, durationText, timeText } from '../parts/value-text.ts'

export const SystemPage = () => (
  <OperatorOnly>
    <WholeSystem />
  </OperatorOnly>
)

function WholeSystem() {
  const system = useQuery({
    queryKey: ['system'],
    queryFn: ({ signal }) => trawl.getSystem({ signal }),
    refetchInterval: 30_000,
  })
  return (
    <Loaded query={system}>
      {(data) => (
        <>
          <ServiceFacts system={data} />
          <TablePanel title="Checks" rows={data.checks} columns={ofChecks} />
          <TablePanel title="Processes on this store" rows={data.processes} columns={ofProcesses} />
          <TablePanel
            title="Settings and where they come from"
            rows={data.settings}
            columns={ofSettings}
          />
        </>
      )}
    </Loaded>
  )
}

function ServiceFacts({ system }: { system: System }) {
  const { version, uptime_seconds, roles, store, disk } = system
  return (
    <Panel title="This process">
      <Facts
        facts={{
          Version: version,
          'Runs for': durationText(uptime_seconds * 1_000),
          Roles: roles.join(', '),
          Store: `${store.kind}, ${bytesText(store.bytes)}`,
          Disk: disk && `${bytesText(disk.free_bytes)} of ${bytesText(disk.total_bytes)} free`,
        }}
      />
    </Panel>
  )
}

const TablePanel = <Row,>(props: {
  title: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
}) => (
  <Panel title={props.title}>
    <DataTable label={props.title} rows={props.rows} columns={props.columns} />
  </Panel>
)

const toneOfCheck: Record<System['checks'][number]['status'], Tone> = {
  ok: 'good',
  warning: 'warn',
  broken: 'bad',
}

const ofChecks: Column<System['checks'][number]>[] = [
  ['Check', ({ name }) => name],
  ['Status', ({ status }) => <Badge tone={toneOfCheck[status]}>{status}</Badge>],
  ['Detail', ({ detail }) => detail],
  ['What to do', ({ fix }) => fix ?? '–'],
]

type Process = System['processes'][number]

const processName = ({ id, is_this }: Process) => (
  <>
    <code>{id}</code> {is_this && <Badge>this one</Badge>}
  </>
)

const ofProcesses: Column<Process>[] = [
  ['Process', processName],
  ['Listens on', ({ listens_on }) => listens_on.join(', ') || '–'],
  ['Runs at once', ({ lanes }) => lanes.map(({ lane, slots }) => `${lane} ${slots}`).join(', ')],
  ['Last seen', ({ last_seen_at }) => timeText(last_seen_at)],
]

const ofSettings: Column<System['settings'][number]>[] = [
  ['Setting', ({ name }) => <code>{name}</code>],
  ['Value', ({ value }) => value],
  ['From', ({ origin }) => origin],
]
