import { statuses } from '../tasks/task-filters.ts'

/** Which pages of a job are listed, as it stands in the address. */
export interface PageFilter {
  status: (typeof statuses)[number] | undefined
  page: number
}

export function readPageFilter(search: URLSearchParams): PageFilter {
  const page = search.get('page') ?? '1'
  return {
    status: statuses.find((one) => one === search.get('status')),
    page: /^[1-9]\d{0,3}$/.test(page) ? Number(page) : 1,
  }
}

/** Another status begins with its first page. */
export function withPageStatus(search: URLSearchParams, status: string): URLSearchParams {
  const next = new URLSearchParams(search)
  next.delete('page')
  if (status === '') next.delete('status')
  else next.set('status', status)
  return next
}

export function withPage(search: URLSearchParams, page: number): URLSearchParams {
  const next = new URLSearchParams(search)
  next.set('page', String(page))
  return next
}
