import { useSearchParams } from 'wouter'
import { Choice } from '../parts/choice.tsx'
import { statuses } from '../tasks/task-filters.ts'
import { type JobFilters, withJobFilter } from './job-filters.ts'
import { jobKinds } from './shown-job.ts'

/** The filters are the address: it can be kept, shared, and left with the back button. */
export function JobFilterForm({ filters }: { filters: JobFilters }) {
  const [, setSearch] = useSearchParams()
  const apply = (name: keyof JobFilters) => (value: string) =>
    setSearch((search) => withJobFilter(search, name, value), { replace: true })
  return (
    <search className="filters job-filters">
      <Choice label="Kind" value={filters.kind} options={jobKinds} onChange={apply('kind')} />
      <Choice label="Status" value={filters.status} options={statuses} onChange={apply('status')} />
    </search>
  )
}
