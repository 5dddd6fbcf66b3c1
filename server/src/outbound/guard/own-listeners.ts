/** Decides whether an address and a port are those of a process of this service. */
import { isIPv4 } from 'node:net'
import { canonicalBlock, isLoopbackHost } from '../../runtime/ip-block.ts'
import { embeddedAddresses } from './embedded-addresses.ts'

/** Lets the egress guard recognise the listeners of this service. */
export interface OwnListenerLookup {
  isOwn(address: string, port: number): boolean
  /** Reads the recorded listeners again for an address of this machine; undefined for any other. */
  refreshFor(address: string): Promise<unknown> | undefined
}

export interface OwnListeners {
  /** Every port that a process on this store listens on, on any machine. */
  ports: { has(port: number): boolean }
  /** `address port` of each listener. */
  endpoints: ReadonlySet<string>
  /** The addresses of this machine's interfaces. */
  ownAddresses: ReadonlySet<string>
}

/**
 * On this machine the port alone decides: a process may listen on every address, or on another one than `address`,
 * and several machines may have the same private address. If unsure, the answer is yes, so that it is refused.
 */
export function isOwnListener(
  { ports, endpoints, ownAddresses }: OwnListeners,
  address: string,
  port: number,
): boolean {
  if (!ports.has(port)) return false
  return (
    isOnThisMachine(ownAddresses, address) ||
    equivalentAddresses(address).some((one) => endpoints.has(`${one} ${port}`))
  )
}

/** True for text that is no address, because it could be any. */
export function isOnThisMachine(ownAddresses: ReadonlySet<string>, address: string): boolean {
  const equivalent = equivalentAddresses(address)
  return (
    equivalent.length === 0 ||
    equivalent.some((one) => isLoopbackHost(one) || isUnspecified(one) || ownAddresses.has(one))
  )
}

/** The address in canonical form, and the addresses that it embeds. */
function equivalentAddresses(address: string): string[] {
  if (isIPv4(address)) return [address]
  const canonical = canonicalBlock(address)
  if (canonical === undefined) return []
  return isIPv4(canonical) ? [canonical] : [canonical, ...embeddedAddresses(canonical)]
}

/** Connecting to the unspecified address reaches this machine; a listener on it has all addresses. */
export const isUnspecified = (address: string): boolean => address === '0.0.0.0' || address === '::'
