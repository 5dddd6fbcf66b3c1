import { useQuery } from '@tanstack/react-query'
import type { Domain } from '@trawl/sdk'
import { trawl } from '../client.ts'
import { endedIn } from '../overview/sum-up-series.ts'
import { DataTable, type TableProps } from '../parts/data-table.tsx'
import { EmptyState, Loaded } from '../parts/panel.tsx'
import { Sparkline } from '../parts/sparkline.tsx'
import { countText, durationText, shareText } from '../parts/value-text.ts'

export function DomainsPage() {
  const domains = useQuery({
    queryKey: ['domains', 'all'],
    queryFn: async ({ signal }) => (await trawl.listDomains({ page_size: 100 }, { signal })).items,
  })
  return (
    <Loaded query={domains}>
      {(rows) => (
        <DomainTable
          label="The busiest domains of 30 days"
          rows={rows}
          empty={
            <EmptyState
              title="No domain was scraped in 30 days"
              command="npx trawl scrape https://example.com"
            />
          }
        />
      )}
    </Loaded>
  )
}

/** How hosts have responded. */
export const DomainTable = (props: Omit<TableProps<Domain>, 'columns'>) => (
  <DataTable
    {...props}
    columns={[
      ['Domain', ({ host }) => host],
      ['Success', (domain) => shareText(domain.completed, endedIn(domain)), 'end'],
      ['Tasks', (domain) => countText(endedIn(domain)), 'end'],
      ['Blocked', ({ blocked }) => countText(blocked), 'end'],
      ['p95', ({ p95_ms }) => durationText(p95_ms), 'end'],
      ['By day', ({ days }) => <Sparkline values={days.map((d) => d.completed / endedIn(d))} />],
    ]}
  />
)
