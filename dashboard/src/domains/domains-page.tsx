import { useQuery } from '@tanstack/react-query'
import { trawl } from '../client.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Unreadable } from '../parts/unreadable.tsx'
import { DomainTable } from './domain-table.tsx'

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
