import { useQuery } from '@tanstack/react-query'
import type { Domain } from '@trawl/sdk'
import { trawl } from '../client.ts'
import { DataTable } from '../parts/data-table.tsx'
import { EmptyState, Unreadable } from '../parts/panel.tsx'
import { Sparkline } from '../parts/sparkline.tsx'
import { countText, durationText, shareText } from '../parts/value-text.ts'

export function DomainsPage() {
  const { data, error } = useQuery({
    queryKey: ['domains', 'all'],
    queryFn: async ({ signal }) => (await trawl.listDomains({ page_size: 100 }, { signal })).items,
  })
  if (error) return <Unreadable error={error} />
  if (!data) return <p className="soft">Loading…</p>
  if (data.length === 0) {
    return (
      <EmptyState
        title="No domain was scraped in 30 days"
        command="npx trawl scrape https://example.com"
      />
    )
  }
  return <DomainTable label="The busiest domains of 30 days" domains={data} />
}

/** How hosts have responded. */
export function DomainTable({ label, domains }: { label: string; domains: readonly Domain[] }) {
  return (
    <DataTable
      label={label}
      rows={domains}
      columns={[
        ['Domain', ({ host }) => host],
        ['Success', ({ completed, failed }) => shareText(completed, completed + failed), 'end'],
        ['Tasks', ({ completed, failed }) => countText(completed + failed), 'end'],
        ['Blocked', ({ blocked }) => countText(blocked), 'end'],
        ['p95', ({ p95_ms }) => durationText(p95_ms), 'end'],
        [
          'By day',
          ({ days }) => (
            <Sparkline
              values={days.map(({ completed, failed }) => completed / (completed + failed))}
            />
          ),
        ],
      ]}
    />
  )
}
