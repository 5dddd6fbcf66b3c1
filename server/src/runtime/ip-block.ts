import { isIPv4, isIPv6 } from 'node:net'

/**
 * The canonical form of an address or CIDR block, for storing and comparing: `::ffff:192.0.2.1` becomes
 * `192.0.2.1`, host bits are cleared, a block of one address becomes that address. Undefined if invalid.
 */
export function canonicalBlock(text: string): string | undefined {
  const [address = '', prefixText, ...rest] = text.trim().split('/')
  if (rest.length > 0 || (prefixText !== undefined && !/^(0|[1-9]\d{0,2})$/.test(prefixText))) {
    return undefined
  }
  const bytes = addressBytes(address)
  if (!bytes) return undefined
  const prefix = prefixText === undefined ? bytes.length * 8 : Number(prefixText)
  if (prefix > bytes.length * 8) return undefined
  const isMapped = bytes.length === 16 && bytes.subarray(0, 12).equals(mappedPrefix) && prefix >= 96
  return isMapped
    ? format(masked(bytes.subarray(12), prefix - 96), prefix - 96)
    : format(masked(bytes, prefix), prefix)
}

/** The shortest prefix that a block may have. */
export interface ShortestPrefix {
  ipv4: number
  ipv6: number
}

/** The blocks that contain an address, longest prefix first, for lookups in a list of blocks. */
export function blocksContaining(address: string, shortest: ShortestPrefix): string[] {
  const canonical = canonicalBlock(address)
  const bytes = canonical === undefined ? undefined : addressBytes(canonical)
  if (!bytes) return []
  const bits = bytes.length * 8
  const shortestPrefix = bits === 32 ? shortest.ipv4 : shortest.ipv6
  return Array.from({ length: bits - shortestPrefix + 1 }, (_, dropped) => {
    const prefix = bits - dropped
    return format(masked(bytes, prefix), prefix)
  })
}

/** Whether a canonical block has a shorter prefix, or contains every IPv4-mapped address. */
export function isWider(block: string, shortest: ShortestPrefix): boolean {
  const [address = '', prefixText] = block.split('/')
  if (prefixText === undefined) return false
  const prefix = Number(prefixText)
  if (isIPv4(address)) return prefix < shortest.ipv4
  const holdsMapped = prefix < 96 && format(masked(firstMapped, prefix), prefix) === block
  return prefix < shortest.ipv6 || holdsMapped
}

/** The network that one subscriber may have: an IPv4 address, or the /48 of an IPv6 one. */
export function networkOf(address: string): string {
  const canonical = canonicalBlock(address) ?? address
  return isIPv6(canonical) ? (canonicalBlock(`${canonical}/48`) ?? canonical) : canonical
}

/** Whether a server on this host can be reached from its own machine only. */
export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))

const mappedPrefix = Buffer.from('00000000000000000000ffff', 'hex')
const firstMapped = Buffer.concat([mappedPrefix, Buffer.alloc(4)])

/** Four or sixteen bytes; undefined for text that is no address. */
export function addressBytes(address: string): Buffer | undefined {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  // A zone (`fe80::1%eth0`) means something on one machine only.
  if (!isIPv6(address) || address.includes('%')) return undefined
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const left = groups(head)
  const right = tail === undefined ? [] : groups(tail)
  const gap = Array<number>(8 - left.length - right.length).fill(0)
  return Buffer.from([...left, ...gap, ...right].flatMap((group) => [group >> 8, group & 255]))
}

const groups = (text: string): number[] =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))

const masked = (bytes: Buffer, prefix: number): Buffer =>
  Buffer.from(
    bytes.map((byte, index) => {
      const kept = Math.min(8, Math.max(0, prefix - index * 8))
      return byte & (0xff << (8 - kept))
    }),
  )

function format(bytes: Buffer, prefix: number): string {
  const address = bytes.length === 4 ? bytes.join('.') : formatIPv6(bytes)
  return prefix === bytes.length * 8 ? address : `${address}/${prefix}`
}

function formatIPv6(bytes: Buffer): string {
  const parts = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16))
  return new URL(`http://[${parts.join(':')}]`).hostname.slice(1, -1)
}
