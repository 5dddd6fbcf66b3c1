import { BlockList, isIPv4 } from 'node:net'
import { canonicalBlock } from '../../runtime/ip-block.ts'
import { embeddedAddresses, possiblyEmbeddedAddresses } from './embedded-addresses.ts'
import { metadataAddresses } from './metadata-addresses.ts'
import type { OwnListenerLookup } from './own-listeners.ts'

/** What a connection is for: an operator may allow an address for one purpose only. */
export type Purpose = 'target' | 'callback'

/** The operator's exceptions. */
export interface EgressRules {
  allow: readonly { purpose: Purpose | undefined; block: string }[]
  /** Callbacks may reach loopback: for a first try on a laptop that nobody else can reach. */
  mayCallBackToLoopback: boolean
  /** The addresses of this machine's interfaces now: they change while a process runs. */
  ownAddresses(): ReadonlySet<string>
  /** Where processes of this service listen; these are refused whatever `allow` says. */
  ownListeners?: OwnListenerLookup | undefined
}

/**
 * The SSRF filter for one address: only public internet addresses and the operator's exceptions pass. For an IPv6
 * address that embeds an IPv4 one both must pass: allowing a tunnel's block allows nothing behind it.
 */
export function createAddressPolicy(
  rules: EgressRules,
): (address: string, purpose: Purpose) => boolean {
  const allowed = {
    target: blockList(allowedFor(rules, 'target')),
    callback: blockList(allowedFor(rules, 'callback')),
  }
  const isOpen = (canonical: string, purpose: Purpose): boolean =>
    !isIn(metadata, canonical) &&
    (isIn(allowed[purpose], canonical) ||
      (isGlobal(canonical) && !rules.ownAddresses().has(canonical)))

  return (address, purpose) => {
    // A fast path, because this runs for every request: IPv4 has one spelling only.
    if (isIPv4(address)) return isOpen(address, purpose)
    const canonical = canonicalBlock(address)
    if (canonical === undefined || canonical.includes('/') || !isOpen(canonical, purpose)) {
      return false
    }
    return (
      isIPv4(canonical) ||
      (!possiblyEmbeddedAddresses(canonical).some((embedded) => isIn(metadata, embedded)) &&
        embeddedAddresses(canonical).every((embedded) => isOpen(embedded, purpose)))
    )
  }
}

function allowedFor(rules: EgressRules, purpose: Purpose): string[] {
  const named = rules.allow
    .filter((rule) => (rule.purpose ?? purpose) === purpose)
    .map((rule) => rule.block)
  const isLoopbackOpen = purpose === 'callback' && rules.mayCallBackToLoopback
  return isLoopbackOpen ? [...named, '127.0.0.0/8', '::1'] : named
}

const isGlobal = (canonical: string): boolean =>
  isIPv4(canonical)
    ? !isIn(specialIPv4, canonical)
    : isIn(globalIPv6, canonical) && !isIn(specialIPv6, canonical)

/** One list per family: Node's `BlockList` takes every IPv4 address to be in `::/0`, too. */
interface FamilyLists {
  ipv4: BlockList
  ipv6: BlockList
}

function blockList(blocks: readonly string[]): FamilyLists {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const block of blocks) {
    const [address = '', prefix] = block.split('/')
    const family = familyOf(address)
    if (prefix === undefined) lists[family].addAddress(address, family)
    else lists[family].addSubnet(address, Number(prefix), family)
  }
  return lists
}

function isIn(lists: FamilyLists, address: string): boolean {
  const family = familyOf(address)
  return lists[family].check(address, family)
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv4(address) ? 'ipv4' : 'ipv6')

const metadata = blockList(metadataAddresses.map(({ address }) => address))

// The IANA special-purpose registry, multicast and the reserved class E.
const specialIPv4 = blockList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
])

/** The only part of IPv6 that is assigned as global unicast; it has none of the mapped addresses. */
const globalIPv6 = blockList(['2000::/3'])

const specialIPv6 = blockList([
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
])
