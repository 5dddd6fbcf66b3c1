import type { Operations } from '@trawl/sdk'
import { changedSearch } from '../parts/changed-search.ts'
import { taskFailureCodes } from './task-failures.ts'

export type TaskQuery = Operations['GET /v1/tasks']['query']

/** The filters that the page offers, as they stand in its address: those of `GET /v1/tasks`. */
export type TaskFilters = { [Name in (typeof names)[number]]?: NonNullable<TaskQuery[Name]> }

export const statuses = ['queued', 'processing', 'completed', 'failed', 'cancelled'] as const

const names = ['status', 'url', 'host', 'code', 'job', 'start_date', 'end_date'] as const

const date = /^\d{4}-\d\d-\d\d$/

/** What the service would refuse. */
const shapes: Partial<Record<keyof TaskFilters, RegExp>> = {
  status: new RegExp(`^(?:${statuses.join('|')})$`),
  code: new RegExp(`^(?:${taskFailureCodes.join('|')})$`),
  host: /^[^\s/?#@\\%'"]+$/,
  job: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
  start_date: date,
  end_date: date,
}

/** What cannot be a filter is left out, as anybody may write an address. */
export function readTaskFilters(search: URLSearchParams): TaskFilters {
  const filters: Record<string, string> = {}
  for (const name of names) {
    const value = search.get(name)?.trim()
    if (value && (shapes[name]?.test(value) ?? true)) filters[name] = value
  }
  return filters
}

/** The address with one filter changed; an empty value removes it. */
export const withTaskFilter = (
  search: URLSearchParams,
  name: keyof TaskFilters,
  value: string,
): URLSearchParams => changedSearch(search, { [name]: value.trim() })
