/**
 * IPv4 addresses embedded in IPv6 addresses. Tunnels and translators forward a packet for the IPv6 address to the
 * IPv4 one, so an SSRF filter has to check both.
 */
import { addressBytes } from '../../runtime/ip-block.ts'

/** Offsets of the four bytes for each length of a translator's prefix (RFC 6052, section 2.2). */
const translated = {
  32: [4, 5, 6, 7],
  40: [5, 6, 7, 9],
  48: [6, 7, 9, 10],
  56: [7, 9, 10, 11],
  64: [9, 10, 11, 12],
  96: [12, 13, 14, 15],
} as const

type ByteOffsets = readonly [number, number, number, number]

interface Embedding {
  matches(bytes: Buffer): boolean
  offsets: readonly ByteOffsets[]
  /** Teredo inverts every bit of the address. */
  inverted?: readonly ByteOffsets[]
  /** The prefix length is unknown: offsets that hold the prefix's zeros are left out. */
  hasUnknownLength?: boolean
}

const startsWith =
  (hex: string) =>
  (bytes: Buffer): boolean =>
    bytes.subarray(0, hex.length / 2).equals(Buffer.from(hex, 'hex'))

const lastFour = [translated[96]]

const embeddings: readonly Embedding[] = [
  // IPv4-compatible, RFC 4291; `::` and `::1` embed nothing.
  {
    matches: (bytes) => startsWith('00'.repeat(12))(bytes) && bytes.readUInt32BE(12) > 1,
    offsets: lastFour,
  },
  // IPv4-translated, RFC 2765. The caller has already turned IPv4-mapped addresses into IPv4.
  { matches: startsWith('0000000000000000ffff0000'), offsets: lastFour },
  // NAT64, RFC 6052.
  { matches: startsWith('0064ff9b0000000000000000'), offsets: lastFour },
  // NAT64 with a prefix of the network's own, RFC 8215: four prefix lengths fit into it.
  {
    matches: startsWith('0064ff9b0001'),
    offsets: [translated[48], translated[56], translated[64], translated[96]],
    hasUnknownLength: true,
  },
  // 6to4, RFC 3056.
  { matches: startsWith('2002'), offsets: [[2, 3, 4, 5]] },
  // Teredo, RFC 4380: the server and, inverted, the client.
  { matches: startsWith('20010000'), offsets: [translated[32]], inverted: lastFour },
  // ISATAP, RFC 5214, behind any prefix.
  { matches: (bytes) => (bytes.readUInt32BE(8) & ~0x0200_0000) === 0x5efe, offsets: lastFour },
]

/** The IPv4 addresses that a packet to this IPv6 address may reach, by its well-known prefix. */
export function embeddedAddresses(ipv6: string): string[] {
  const bytes = addressBytes(ipv6)
  if (bytes?.length !== 16) return []
  return embeddings
    .filter(({ matches }) => matches(bytes))
    .flatMap(({ offsets, inverted = [], hasUnknownLength }) => {
      const found = [
        ...offsets.map((one) => readAt(bytes, one, 0)),
        ...inverted.map((one) => readAt(bytes, one, 0xff)),
      ]
      const likely = found.filter((address) => !address.startsWith('0.'))
      return hasUnknownLength && likely.length > 0 ? likely : found
    })
}

/**
 * The IPv4 addresses if the prefix were a translator's, which any network may choose for itself. Every address
 * gives six of them, most by chance, so compare them with a short list only, never with wide blocks.
 */
export function possiblyEmbeddedAddresses(ipv6: string): string[] {
  const bytes = addressBytes(ipv6)
  if (bytes?.length !== 16) return []
  return Object.values(translated).map((one) => readAt(bytes, one, 0))
}

const readAt = (bytes: Buffer, offsets: ByteOffsets, mask: number): string =>
  offsets.map((at) => (bytes[at] as number) ^ mask).join('.')
