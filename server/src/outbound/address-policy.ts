import { BlockList, isIPv4 } from 'node:net'
import { canonicalBlock } from '../runtime/ip-block.ts'

/** What a connection is for: an operator may open an address to one and not to the other. */
export type Purpose = 'target' | 'callback'

/** The operator's exceptions. */
export interface EgressRules {
  allow: readonly { purpose: Purpose | undefined; block: string }[]
  /** Callbacks may reach this machine: for a first try on a laptop, where nobody else can call us. */
  mayCallBackToLoopback: boolean
  /** The addresses of this machine's own interfaces. */
  ownAddresses: readonly string[]
}

/** Decides about one address. Whatever is not provably a public address of the internet is refused. */
export function createAddressPolicy(
  rules: EgressRules,
): (address: string, purpose: Purpose) => boolean {
  const own = blockList(rules.ownAddresses)
  const allowed = {
    target: blockList(allowedFor(rules, 'target')),
    callback: blockList(allowedFor(rules, 'callback')),
  }
  return (address, purpose) => {
    // IPv4 has one spelling only; this is asked for every request.
    const canonical = isIPv4(address) ? address : canonicalBlock(address)
    if (canonical === undefined || canonical.includes('/')) return false
    if (isIn(metadata, canonical)) return false
    if (isIn(allowed[purpose], canonical)) return true
    return isGlobal(canonical) && !isIn(own, canonical)
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

function blockList(blocks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const block of blocks) {
    const [address = '', prefix] = block.split('/')
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return list
}

const isIn = (list: BlockList, address: string): boolean =>
  list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')

/** Where clouds hand out credentials. No setting opens these. */
const metadata = blockList([
  '169.254.169.254',
  '169.254.170.2',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
])

// The IANA special-purpose registry, multicast, the reserved class E, and cloud addresses outside of these.
const specialIPv4 = blockList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16',
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

/** The only part of IPv6 that is given out for the internet; it leaves out every tunnel and mapping. */
const globalIPv6 = blockList(['2000::/3'])

const specialIPv6 = blockList([
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
])
