/**
 * IPv4 addresses inside of IPv6 addresses: tunnels and translators take a packet to the former that was sent to
 * the latter, so an SSRF filter has to judge both.
 */
import { addressBytes } from '../../runtime/ip-block.ts'

/** Where the four bytes lie for each length of a translator's prefix (RFC 6052, section 2.2). */
const translated = {
  32: [4, 5, 6, 7],
  40: [5, 6, 7, 9],
  48: [6, 7, 9, 10],
  56: [7, 9, 10, 11],
  64: [9, 10, 11, 12],
  96: [12, 13, 14, 15],
} as const

type Place = readonly [number, number, number, number]

interface Embedding {
  isOne(bytes: Buffer): boolean
  places: readonly Place[]
  /** Teredo writes an address with every bit turned over. */
  inverted?: readonly Place[]
  /** Nothing says which place it is: those that hold zeros of the prefix are left out. */
  hasUnknownLength?: boolean
}

const startsWith =
  (hex: string) =>
  (bytes: Buffer): boolean =>
    bytes.subarray(0, hex.length / 2).equals(Buffer.from(hex, 'hex'))

const lastFour = [translated[96]]

const embeddings: readonly Embedding[] = [
  // IPv4-compatible, RFC 4291; `::` and `::1` are none.
  {
    isOne: (bytes) => startsWith('00'.repeat(12))(bytes) && bytes.readUInt32BE(12) > 1,
    places: lastFour,
  },
  // IPv4-translated, RFC 2765. IPv4-mapped addresses have become IPv4 before anyone comes here.
  { isOne: startsWith('0000000000000000ffff0000'), places: lastFour },
  // NAT64, RFC 6052.
  { isOne: startsWith('0064ff9b0000000000000000'), places: lastFour },
  // NAT64 with a prefix of the network's own, RFC 8215: four lengths have room in it.
  {
    isOne: startsWith('0064ff9b0001'),
    places: [translated[48], translated[56], translated[64], translated[96]],
    hasUnknownLength: true,
  },
  // 6to4, RFC 3056.
  { isOne: startsWith('2002'), places: [[2, 3, 4, 5]] },
  // Teredo, RFC 4380: the server and, turned over, the client.
  { isOne: startsWith('20010000'), places: [translated[32]], inverted: lastFour },
  // ISATAP, RFC 5214, behind any prefix.
  { isOne: (bytes) => (bytes.readUInt32BE(8) & ~0x0200_0000) === 0x5efe, places: lastFour },
]

/** The IPv4 addresses that a packet to this IPv6 address may end at, as far as its prefix tells. */
export function embeddedAddresses(ipv6: string): string[] {
  const bytes = addressBytes(ipv6)
  if (bytes?.length !== 16) return []
  return embeddings
    .filter(({ isOne }) => isOne(bytes))
    .flatMap(({ places, inverted = [], hasUnknownLength }) => {
      const found = [
        ...places.map((place) => readAt(bytes, place, 0)),
        ...inverted.map((place) => readAt(bytes, place, 0xff)),
      ]
      const likely = found.filter((address) => !address.startsWith('0.'))
      return hasUnknownLength && likely.length > 0 ? likely : found
    })
}

/**
 * Those that it would have if its prefix were a translator's, which any network may choose for itself. An address
 * has six of them by random, so this is for comparing with single addresses only.
 */
export function possiblyEmbeddedAddresses(ipv6: string): string[] {
  const bytes = addressBytes(ipv6)
  if (bytes?.length !== 16) return []
  return Object.values(translated).map((place) => readAt(bytes, place, 0))
}

const readAt = (bytes: Buffer, place: Place, mask: number): string =>
  place.map((at) => (bytes[at] as number) ^ mask).join('.')
