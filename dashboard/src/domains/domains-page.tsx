import { useQuery } from '@tanstack/react-query'
import type { Domain } from '@trawl/sdk'
import { trawl } from '../client.ts'
import { DataTable } from '../parts/data-table.tsx'
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
      {(rows) =>
        rows.length === 0 ? (
          <EmptyState
            title="No domain was scraped in 30 days"
            command="npx trawl scrape https://example.com"
          />
        ) : (
          <DomainTable label="The busiest domains of 30 days" domains={rows} />
        )
      }
    </Loaded>
  )
}

/** How hosts have responded. */
export const DomainTable = (props: { label: string; domains: readonly Domain[] }) => (
  <DataTable
    label={props.label}
    rows={props.domains}
    columns={[
      ['Domain', ({ host }) => host],
      ['Success', (domain) => shareText(domain.completed, endedOf(domain)), 'end'],
      ['Tasks', (domain) => countText(endedOf(domain)), 'end'],
      ['Blocked', ({ blocked }) => countText(blocked), 'end'],
      ['p95', ({ p95_ms }) => durationText(p95_ms), 'end'],
      ['By day', ({ days }) => <Sparkline values={days.map((d) => d.completed / endedOf(d))} />],
    ]}
  />
)

const endedOf = ({ completed, failed }: { completed: number; failed: number }): number =>
  completed + failed
