import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { trawl } from '../client.ts'
import { Badge, Field } from '../parts/controls.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { ConfirmedAction, FormDialog } from '../parts/dialog.tsx'
import { EmptyState, Loaded, Panel } from '../parts/panel.tsx'
import { isWithin, readAddresses, refusalOfMyAddress } from './typed-addresses.ts'

const addressesQuery = queryOptions({
  queryKey: ['whitelisted-ips'],
  queryFn: async ({ signal }) => (await trawl.whitelistedIps.list({ signal })).data,
})

/** Where the reader is, as the service sees it; people change networks, so it is asked anew. */
const myAddressQuery = queryOptions({
  queryKey: ['my-address'],
  queryFn: async ({ signal }) => (await trawl.session.get({ signal })).client_address,
})

type Addresses = Awaited<ReturnType<typeof trawl.whitelistedIps.list>>

/** The addresses whose calls need no credentials. */
export function AllowedAddresses() {
  const addresses = useQuery(addressesQuery)
  const { data: mine = '' } = useQuery(myAddressQuery)
  return (
    <Panel title="Whitelisted IPs" beside={<NewAddresses />}>
      <p className="soft">
        Calls from these addresses scrape for your account without a key. Signing in does not depend
        on the list, so nobody is locked out by it.
      </p>
      <Loaded query={addresses}>
        {(rows) => (
          <>
            {mine !== '' && <AddMyAddress address={mine} blocks={rows.map(({ ip }) => ip)} />}
            <AddressTable rows={rows} mine={mine} />
          </>
        )}
      </Loaded>
    </Panel>
  )
}

function AddressTable({ rows, mine }: { rows: Addresses['data']; mine: string }) {
  const change = useAddressChange()
  const address = (ip: string) => (
    <>
      <code>{ip}</code> {isWithin(ip, mine) && <Badge>yours</Badge>}
    </>
  )
  const actions = (ip: string, note: string) => (
    <div className="row">
      <FormDialog
        name="Edit note"
        about={`of ${ip}`}
        title={`Note of ${ip}`}
        action="Save"
        act={(fields) => change(trawl.whitelistedIps.update({ ip, description: noteOf(fields) }))}
      >
        <NoteField note={note} />
      </FormDialog>
      <ConfirmedAction
        name="Remove"
        about={ip}
        act={() => change(trawl.whitelistedIps.remove([{ ip }]))}
      >
        <p>Calls from {ip} then need a key or the password.</p>
        {isWithin(ip, mine) && (
          <p className="fault">
            This is where you are now: programs here that call without a key are refused. This page
            stays open, as you have signed in.
          </p>
        )}
      </ConfirmedAction>
    </div>
  )
  return (
    <DataTable
      label="Whitelisted IPs"
      rows={rows}
      empty={
        <EmptyState title="No address yet" command="npx trawl ips add 203.0.113.7">
          Add one here, or on the machine of the service:
        </EmptyState>
      }
      keyOf={({ _id }) => _id}
      columns={[
        ['Address', ({ ip }) => address(ip)],
        ['Note', ({ description }) => description || '–'],
        ['Action', ({ ip, description }) => actions(ip, description)],
      ]}
    />
  )
}

/** Adds one address or many, all of them or none. */
function NewAddresses() {
  const change = useAddressChange()
  const add = async (fields: FormData) => {
    const ips = readAddresses(String(fields.get('addresses')))
    await change(trawl.whitelistedIps.add(ips.map((ip) => ({ ip, description: noteOf(fields) }))))
  }
  return (
    <FormDialog name="Add addresses" title="Add addresses" action="Add" act={add}>
      <Field
        label="Addresses"
        name="addresses"
        rows={4}
        hint="IPv4, IPv6 or a block such as 203.0.113.0/24; one a line, up to ten."
      />
      <NoteField />
    </FormDialog>
  )
}

const NoteField = ({ note }: { note?: string }) => (
  <Field label="Note" name="note" required={false} maxLength={255} defaultValue={note} />
)

const noteOf = (fields: FormData): string => String(fields.get('note'))

/** Whitelists where the reader is, where that makes sense, and says why where it does not. */
function AddMyAddress({ address, blocks }: { address: string; blocks: readonly string[] }) {
  const reasonId = useId()
  const change = useAddressChange()
  const refusal = refusalOfMyAddress(address, blocks)
  const own = { ip: address, description: 'added from the dashboard' }
  return (
    <div className="row">
      <ConfirmedAction
        name="Add my address"
        act={() => change(trawl.whitelistedIps.add([own]))}
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

/** Each change answers with the whole list. */
function useAddressChange() {
  const client = useQueryClient()
  return async (changed: PromiseLike<Addresses>): Promise<void> => {
    client.setQueryData(addressesQuery.queryKey, (await changed).data)
  }
}
