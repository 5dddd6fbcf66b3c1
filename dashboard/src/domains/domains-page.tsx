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
      keyOf={({ host }) => host}
      columns={[
        { name: 'Domain', cell: ({ host }) => host },
        {
          name: 'Success',
          align: 'end',
          cell: ({ completed, failed }) => shareText(completed, completed + failed),
        },
        {
          name: 'Tasks',
          align: 'end',
          cell: ({ completed, failed }) => countText(completed + failed),
        },
        { name: 'Blocked', align: 'end', cell: ({ blocked }) => countText(blocked) },
        { name: 'p95', align: 'end', cell: ({ p95_ms }) => durationText(p95_ms) },
        {
          name: 'By day',
          cell: ({ days }) => (
            <Sparkline
              values={days.map(({ completed, failed }) => completed / (completed + failed))}
            />
          ),
        },
      ]}
    />
  )
}
