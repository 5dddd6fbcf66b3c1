import type { Operations } from '@trawl/sdk'
import { changedSearch } from '../parts/changed-search.ts'

export type TaskQuery = Operations['GET /v1/tasks']['query']
type FailureCode = NonNullable<TaskQuery['code']>

/** The filters that the page offers, as they stand in its address: those of `GET /v1/tasks`. */
export type TaskFilters = { [Name in (typeof names)[number]]?: NonNullable<TaskQuery[Name]> }

export const statuses = ['queued', 'processing', 'completed', 'failed', 'cancelled'] as const

/** Why tasks fail. */
export const taskFailureCodes = [
  'TARGET_UNREACHABLE',
  'TARGET_DNS_FAILED',
  'TARGET_TLS_FAILED',
  'TARGET_TIMEOUT',
  'RESPONSE_TOO_LARGE',
  'BAD_RESPONSE',
  'UNSUPPORTED_CONTENT',
  'CONTENT_TOO_COMPLEX',
  'CHALLENGE',
  'ROBOTS_DISALLOWED',
  'OUT_OF_SCOPE',
  'TOO_MANY_REDIRECTS',
  'SELECTOR_NOT_FOUND',
  'ACTION_FAILED',
  'PROXY_FAILED',
  'NO_PROXY_AVAILABLE',
  'BROWSER_CRASHED',
  'BROWSER_UNAVAILABLE',
  'SCREENSHOT_FAILED',
  'URL_NOT_ALLOWED',
  'RATE_LIMITED',
  'STORE_FULL',
  'INTERNAL_ERROR',
] as const satisfies readonly FailureCode[]

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
