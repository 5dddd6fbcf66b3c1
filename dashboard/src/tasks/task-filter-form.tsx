import { useSearchParams } from 'wouter'
import { Choice } from '../parts/choice.tsx'
import { statuses, type TaskFilters, taskFailureCodes, withTaskFilter } from './task-filters.ts'
import { TypedFilter } from './typed-filter.tsx'

/** The filters are the address: it can be kept, shared, and left with the back button. */
export function TaskFilterForm({ filters }: { filters: TaskFilters }) {
  const [search, setSearch] = useSearchParams()
  const apply = (name: keyof TaskFilters) => (value: string) =>
    setSearch((before) => withTaskFilter(before, name, value), { replace: true })
  const typed = (name: keyof TaskFilters) => {
    const value = search.get(name) ?? ''
    const isIgnored = value.trim() !== '' && filters[name] === undefined
    return { value, isIgnored, onChange: apply(name) }
  }

  return (
    <search className="filters">
      <Choice label="Status" options={statuses} value={filters.status} onChange={apply('status')} />
      <TypedFilter label="URL contains" type="search" {...typed('url')} />
      <TypedFilter label="Host" {...typed('host')} />
      <Choice
        label="Error code"
        options={taskFailureCodes}
        value={filters.code}
        onChange={apply('code')}
      />
      <TypedFilter label="Job id" {...typed('job')} />
      <TypedFilter label="From day (UTC)" type="date" {...typed('start_date')} />
      <TypedFilter label="To day (UTC)" type="date" {...typed('end_date')} />
    </search>
  )
}
