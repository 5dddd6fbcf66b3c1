import { changedSearch, readPage } from '../parts/changed-search.ts'
import { type DeliveryStatus, toneOfDelivery } from './delivery-health.ts'

export const deliveryStatuses = Object.keys(toneOfDelivery) as DeliveryStatus[]

/** What of a webhook's deliveries is shown, as it stands in the address. */
export type DeliveryFilters = ReturnType<typeof readDeliveryFilters>

/** What cannot be is left out, as anybody may write an address. */
export function readDeliveryFilters(search: URLSearchParams) {
  const status = deliveryStatuses.find((one) => one === search.get('status'))
  const page = readPage(search)
  // The one that is open.
  const delivery = /^[0-9a-f-]{36}$/.exec(search.get('delivery') ?? '')?.[0]
  return { page, ...(status && { status }), ...(delivery && { delivery }) }
}

/** The address after a change. Another status begins at its first page. */
export const withDeliveryFilters = (
  search: URLSearchParams,
  change: { status?: string; page?: number; delivery?: string },
): URLSearchParams => {
  const { page = change.status === undefined ? undefined : 1, ...others } = change
  return changedSearch(search, {
    ...others,
    ...(page !== undefined && { page: page === 1 ? '' : String(page) }),
  })
}
