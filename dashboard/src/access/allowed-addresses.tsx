import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { WhitelistedIps } from '@trawl/sdk'
import { trawl } from '../client.ts'
import { Badge } from '../parts/badge.tsx'
import { ConfirmedAction } from '../parts/confirmed-action.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Panel } from '../parts/panel.tsx'
import { Unreadable } from '../parts/unreadable.tsx'
import { addressesQuery, myAddressQuery } from './access-queries.ts'
import { AddMyAddress } from './add-my-address.tsx'
import { isWithin } from './address-blocks.ts'
import { AddressNote } from './address-note.tsx'
import { NewAddresses } from './new-addresses.tsx'

type AllowedAddress = WhitelistedIps['data'][number]

/** The addresses whose calls need no credentials. */
export function AllowedAddresses() {
  const { data, error } = useQuery(addressesQuery)
  return (
    <Panel title="Whitelisted IPs" beside={<NewAddresses />}>
      <p className="soft">
        Calls from these addresses scrape for your account without a key. Signing in does not depend
        on the list, so nobody is locked out by it.
      </p>
      {error && <Unreadable error={error} />}
      {!data && !error && <p className="soft">Loading…</p>}
      {data && <AddMyAddress blocks={data.map(({ ip }) => ip)} />}
      {data?.length === 0 && (
        <EmptyState title="No address yet" command="npx trawl ips add 203.0.113.7">
          Add one here, or on the machine of the service:
        </EmptyState>
      )}
      {data && data.length > 0 && <AddressTable addresses={data} />}
    </Panel>
  )
}

function AddressTable({ addresses }: { addresses: AllowedAddress[] }) {
  const { data: mine = '' } = useQuery(myAddressQuery)
  return (
    <DataTable
      label="Whitelisted IPs"
      rows={addresses}
      keyOf={({ _id }) => _id}
      columns={[
        {
          name: 'Address',
          cell: ({ ip }) => (
            <>
              <code>{ip}</code> {isWithin(ip, mine) && <Badge>yours</Badge>}
            </>
          ),
        },
        { name: 'Note', cell: ({ description }) => description || '–' },
        {
          name: 'Action',
          cell: (address) => (
            <div className="row">
              <AddressNote ip={address.ip} note={address.description} />
              <RemoveAddress ip={address.ip} isMine={isWithin(address.ip, mine)} />
            </div>
          ),
        },
      ]}
    />
  )
}

function RemoveAddress({ ip, isMine }: { ip: string; isMine: boolean }) {
  const client = useQueryClient()
  const remove = async () => {
    const { data } = await trawl.whitelistedIps.remove([{ ip }])
    client.setQueryData(addressesQuery.queryKey, data)
  }
  return (
    <ConfirmedAction name="Remove" about={ip} act={remove}>
      <p>Calls from {ip} then need a key or the password.</p>
      {isMine && (
        <p className="fault">
          This is where you are now: programs here that call without a key are refused. This page
          stays open, as you have signed in.
        </p>
      )}
    </ConfirmedAction>
  )
}
