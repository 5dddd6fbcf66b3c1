import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { WhitelistedIps } from '@trawl/sdk'
import { type FormEvent, useId, useState } from 'react'
import { trawl } from '../client.ts'
import { Badge, Button, Field } from '../parts/controls.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { ConfirmedAction, Dialog } from '../parts/dialog.tsx'
import { EmptyState, Panel, Unreadable } from '../parts/panel.tsx'
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
        [
          'Address',
          ({ ip }) => (
            <>
              <code>{ip}</code> {isWithin(ip, mine) && <Badge>yours</Badge>}
            </>
          ),
        ],
        ['Note', ({ description }) => description || '–'],
        [
          'Action',
          (address) => (
            <div className="row">
              <AddressNote ip={address.ip} note={address.description} />
              <RemoveAddress ip={address.ip} isMine={isWithin(address.ip, mine)} />
            </div>
          ),
        ],
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

/** Changes what is noted about an address. */
function AddressNote({ ip, note }: { ip: string; note: string }) {
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const saving = useMutation({
    mutationFn: (description: string) => trawl.whitelistedIps.update({ ip, description }),
    onSuccess: ({ data }) => {
      client.setQueryData(addressesQuery.queryKey, data)
      setOpen(false)
    },
  })
  const open = () => {
    saving.reset()
    setOpen(true)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    saving.mutate(String(new FormData(event.currentTarget).get('description')))
  }
  return (
    <>
      <Button onClick={open}>
        Edit note<span className="hidden-text"> of {ip}</span>
      </Button>
      <Dialog title={`Note of ${ip}`} isOpen={isOpen} onClose={() => setOpen(false)}>
        <form className="access-form" onSubmit={submit}>
          <Field
            label="Note"
            name="description"
            required={false}
            maxLength={255}
            defaultValue={note}
          />
          {saving.error && (
            <p role="alert" className="fault">
              {saving.error.message}
            </p>
          )}
          <div>
            <Button type="submit" kind="main" disabled={saving.isPending}>
              Save
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  )
}

/** Adds one address or many, all of them or none. */
function NewAddresses() {
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const adding = useMutation({
    mutationFn: async ({ typed, description }: { typed: string; description: string }) =>
      trawl.whitelistedIps.add(readAddresses(typed).map((ip) => ({ ip, description }))),
    onSuccess: ({ data }) => {
      client.setQueryData(addressesQuery.queryKey, data)
      setOpen(false)
    },
  })
  const open = () => {
    adding.reset()
    setOpen(true)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    adding.mutate({
      typed: String(fields.get('addresses')),
      description: String(fields.get('description')),
    })
  }
  return (
    <>
      <Button onClick={open}>Add addresses</Button>
      <Dialog title="Add addresses" isOpen={isOpen} onClose={() => setOpen(false)}>
        <form className="access-form" onSubmit={submit}>
          <div className="field">
            <label htmlFor={id}>Addresses</label>
            <textarea id={id} name="addresses" rows={4} required aria-describedby={`${id}-hint`} />
            <span id={`${id}-hint`} className="soft small">
              IPv4, IPv6 or a block such as 203.0.113.0/24; one a line, up to ten.
            </span>
          </div>
          <Field label="Note" name="description" required={false} maxLength={255} />
          {adding.error && (
            <p role="alert" className="fault">
              {adding.error.message}
            </p>
          )}
          <div>
            <Button type="submit" kind="main" disabled={adding.isPending}>
              Add
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  )
}

/** Whitelists where the reader is, where that makes sense, and says why where it does not. */
function AddMyAddress({ blocks }: { blocks: readonly string[] }) {
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
