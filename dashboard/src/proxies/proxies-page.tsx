import { useQuery } from '@tanstack/react-query'
import { trawl } from '../client.ts'
import { Badge } from '../parts/controls.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { EmptyState, OperatorOnly, Unreadable } from '../parts/panel.tsx'
import { countText, durationText, shareText } from '../parts/value-text.ts'

export const ProxiesPage = () => (
  <OperatorOnly>
    <Proxies />
  </OperatorOnly>
)

function Proxies() {
  const { data, error } = useQuery({
    queryKey: ['proxies'],
    queryFn: async ({ signal }) => (await trawl.listProxies({ page_size: 100 }, { signal })).items,
    refetchInterval: 5_000,
  })
  if (error) return <Unreadable error={error} />
  if (!data) return <p className="soft">Loading…</p>
  if (data.length === 0) {
    return (
      <EmptyState
        title="Connections are direct"
        command={`TRAWL_PROXIES='[{"url": "http://user:password@proxy.example:8080", "type": "datacenter"}]' npm start`}
      >
        Proxies are a setting of the service:
      </EmptyState>
    )
  }
  return (
    <DataTable
      label="Proxies"
      rows={data}
      keyOf={({ label }) => label}
      columns={[
        ['Proxy', ({ label }) => label],
        [
          'State',
          ({ state, cooldown_seconds }) =>
            state === 'ready' ? (
              <Badge tone="good">ready</Badge>
            ) : (
              <Badge tone="warn">cools down for {durationText(cooldown_seconds * 1_000)}</Badge>
            ),
        ],
        ['Type', ({ type }) => type],
        ['Country', ({ country, any_country }) => (any_country ? 'any' : (country ?? '–'))],
        ['Score', ({ score }) => shareText(score, 1), 'end'],
        ['Latency', ({ latency_ms }) => durationText(latency_ms), 'end'],
        ['In use', ({ active_uses }) => countText(active_uses), 'end'],
      ]}
    />
  )
}
