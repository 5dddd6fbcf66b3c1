import { useQuery } from '@tanstack/react-query'
import { trawl } from '../client.ts'
import { Badge } from '../parts/controls.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { EmptyState, Loaded, OperatorOnly } from '../parts/panel.tsx'
import { countText, durationText, shareText } from '../parts/value-text.ts'

export const ProxiesPage = () => (
  <OperatorOnly>
    <Proxies />
  </OperatorOnly>
)

type Proxy = Awaited<ReturnType<typeof trawl.listProxies>>['items'][number]

function Proxies() {
  const proxies = useQuery({
    queryKey: ['proxies'],
    queryFn: async ({ signal }) => (await trawl.listProxies({ page_size: 100 }, { signal })).items,
    refetchInterval: 5_000,
  })
  return <Loaded query={proxies}>{(rows) => <ProxyTable rows={rows} />}</Loaded>
}

const NoProxy = () => (
  <EmptyState
    title="Connections are direct"
    command={`TRAWL_PROXIES='[{"url": "http://user:password@proxy.example:8080", "type": "datacenter"}]' npm start`}
  >
    Proxies are a setting of the service:
  </EmptyState>
)

const ProxyTable = ({ rows }: { rows: readonly Proxy[] }) => (
  <DataTable
    label="Proxies"
    rows={rows}
    empty={<NoProxy />}
    columns={[
      ['Proxy', ({ label }) => label],
      ['State', (proxy) => <ProxyState proxy={proxy} />],
      ['Type', ({ type }) => type],
      ['Country', ({ country, any_country }) => (any_country ? 'any' : (country ?? '–'))],
      ['Score', ({ score }) => shareText(score, 1), 'end'],
      ['Latency', ({ latency_ms }) => durationText(latency_ms), 'end'],
      ['In use', ({ active_uses }) => countText(active_uses), 'end'],
    ]}
  />
)

const ProxyState = ({ proxy: { state, cooldown_seconds } }: { proxy: Proxy }) =>
  state === 'ready' ? (
    <Badge tone="good">ready</Badge>
  ) : (
    <Badge tone="warn">cools down for {durationText(cooldown_seconds * 1_000)}</Badge>
  )
