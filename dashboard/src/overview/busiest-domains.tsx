import { useQuery } from '@tanstack/react-query'
import { DomainTable } from '../domains/domain-table.tsx'
import { Panel } from '../parts/panel.tsx'
import { Unreadable } from '../parts/unreadable.tsx'
import { busiestDomainsQuery } from './overview-queries.ts'

export function BusiestDomains() {
  const { data, error } = useQuery(busiestDomainsQuery)
  return (
    <Panel title="Success by domain in 30 days">
      {error && <Unreadable error={error} />}
      {data?.length === 0 && <p className="soft">No domain was scraped.</p>}
      {data && data.length > 0 && <DomainTable label="Success by domain" domains={data} />}
    </Panel>
  )
}
