import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { trawl } from '../client.ts'
import { ConfirmedAction } from '../parts/confirmed-action.tsx'
import { addressesQuery, myAddressQuery } from './access-queries.ts'
import { refusalOfMyAddress } from './my-address.ts'

/** Whitelists where the reader is, where that makes sense, and says why where it does not. */
export function AddMyAddress({ blocks }: { blocks: readonly string[] }) {
  const client = useQueryClient()
  const reasonId = useId()
  const { data: address } = useQuery(myAddressQuery)
  if (address === undefined) return null
  const refusal = refusalOfMyAddress(address, blocks)
  const add = async () => {
    const added = [{ ip: address, description: 'added from the dashboard' }]
    const { data } = await trawl.whitelistedIps.add(added)
    client.setQueryData(addressesQuery.queryKey, data)
  }
  return (
    <div className="row">
      <ConfirmedAction
        name="Add my address"
        act={add}
        disabled={refusal !== undefined}
        aria-describedby={reasonId}
      >
        <p>
          Whoever calls from {address} then scrapes for your account without a key. Behind a reverse
          proxy that is not in <code>TRAWL_TRUST_PROXY</code>, this is the address of the proxy, and
          so of all who come through it.
        </p>
      </ConfirmedAction>
      <span id={reasonId} className="soft small">
        {refusal ?? `The service sees you as ${address}.`}
      </span>
    </div>
  )
}
