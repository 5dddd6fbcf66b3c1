import { changedSearch, readPage } from '../parts/changed-search.ts'
import { statuses } from '../tasks/task-filters.ts'
import { jobKinds } from './shown-job.ts'

/** Which jobs the list shows, as it stands in its address. */
export type JobFilters = ReturnType<typeof readJobFilters>

/** What cannot be a filter is left out, as anybody may write an address. */
export function readJobFilters(search: URLSearchParams) {
  const kind = jobKinds.find((one) => one === search.get('kind'))
  const status = statuses.find((one) => one === search.get('status'))
  // Only those that were created until then.
  const before = search.get('before')
  return {
    ...(kind && { kind }),
    ...(status && { status }),
    ...(before && !Number.isNaN(Date.parse(before)) && { before }),
  }
}

/** The address with one filter changed; another kind or status begins with the newest. */
export const withJobFilter = (
  search: URLSearchParams,
  name: keyof JobFilters,
  value: string,
): URLSearchParams => changedSearch(search, { before: '', [name]: value })

/** Which pages of a job are listed, as it stands in the address. */
export type PageFilter = ReturnType<typeof readPageFilter>

export const readPageFilter = (search: URLSearchParams) => ({
  status: statuses.find((one) => one === search.get('status')),
  page: readPage(search),
})

/** Another status begins with its first page. */
export const withPageStatus = (search: URLSearchParams, status: string): URLSearchParams =>
  changedSearch(search, { page: '', status })

export const withPage = (search: URLSearchParams, page: number): URLSearchParams =>
  changedSearch(search, { page: String(page) })
