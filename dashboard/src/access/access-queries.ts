import { queryOptions } from '@tanstack/react-query'
import { trawl } from '../client.ts'

export const addressesQuery = queryOptions({
  queryKey: ['whitelisted-ips'],
  queryFn: async ({ signal }) => (await trawl.whitelistedIps.list({ signal })).data,
})

/** Where the reader is, as the service sees it; people change networks, so it is asked anew. */
export const myAddressQuery = queryOptions({
  queryKey: ['my-address'],
  queryFn: async ({ signal }) => (await trawl.session.get({ signal })).client_address,
})
