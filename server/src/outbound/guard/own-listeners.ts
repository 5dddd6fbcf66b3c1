/** Decides whether an address and a port are those of a process of this service. */
import { isIPv4 } from 'node:net'
import { canonicalBlock, isLoopbackHost } from '../../runtime/ip-block.ts'
import { embeddedAddresses } from './embedded-addresses.ts'

/** What the egress guard asks about the listeners of this service. */
export interface OwnListenerLookup {
  isOwn(address: string, port: number): boolean
  /** Reads anew what other processes have recorded, for an address of this machine; undefined for any other. */
  refreshFor(address: string): Promise<unknown> | undefined
}

export interface OwnListeners {
  /** Every port that a process of the store listens on, on whichever machine. */
  ports: { has(port: number): boolean }
  /** `address port` of each, as far as addresses tell machines apart. */
  places: ReadonlySet<string>
  /** Of this machine's interfaces. */
  ownAddresses: ReadonlySet<string>
}

/**
 * On this machine the port alone decides: a process may listen on every address, or on another than the one that
 * is asked for, and several machines may have the same address for themselves. In doubt it is refused.
 */
export function isOwnListener(
  { ports, places, ownAddresses }: OwnListeners,
  address: string,
  port: number,
): boolean {
  if (!ports.has(port)) return false
  return (
    isOnThisMachine(ownAddresses, address) ||
    addressesMeant(address).some((one) => places.has(`${one} ${port}`))
  )
}

/** What is no address may be anything. */
export function isOnThisMachine(ownAddresses: ReadonlySet<string>, address: string): boolean {
  const meant = addressesMeant(address)
  return (
    meant.length === 0 ||
    meant.some((one) => isLoopbackHost(one) || isUnspecified(one) || ownAddresses.has(one))
  )
}

/** The address in its one spelling, and those that it embeds. */
function addressesMeant(address: string): string[] {
  if (isIPv4(address)) return [address]
  const canonical = canonicalBlock(address)
  if (canonical === undefined) return []
  return isIPv4(canonical) ? [canonical] : [canonical, ...embeddedAddresses(canonical)]
}

/** Connecting to "any address" is connecting to this machine; listening on it is listening on all of them. */
export const isUnspecified = (address: string): boolean => address === '0.0.0.0' || address === '::'
