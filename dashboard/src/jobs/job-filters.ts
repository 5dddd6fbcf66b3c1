import { statuses } from '../tasks/task-filters.ts'
import { jobKinds, type ShownJob } from './shown-job.ts'

/** Which jobs the list shows, as it stands in its address. */
export interface JobFilters {
  kind?: ShownJob['kind']
  status?: ShownJob['status']
  /** Only those that were created until then. */
  before?: string
}

/** What cannot be a filter is left out, as anybody may write an address. */
export function readJobFilters(search: URLSearchParams): JobFilters {
  const kind = jobKinds.find((one) => one === search.get('kind'))
  const status = statuses.find((one) => one === search.get('status'))
  const before = search.get('before')
  return {
    ...(kind && { kind }),
    ...(status && { status }),
    ...(before && !Number.isNaN(Date.parse(before)) && { before }),
  }
}

/** The address with one filter changed; another kind or status begins with the newest. */
export function withJobFilter(
  search: URLSearchParams,
  name: keyof JobFilters,
  value: string,
): URLSearchParams {
  const next = new URLSearchParams(search)
  next.delete('before')
  if (value === '') next.delete(name)
  else next.set(name, value)
  return next
}
