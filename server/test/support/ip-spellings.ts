import fc from 'fast-check'

type Spellings = [string, string, string]

/** Three spellings of one address, or of one block of addresses. */
export const spellingsOf: fc.Arbitrary<Spellings> = fc.oneof(
  fc
    .ipV4()
    .map((address): Spellings => [address, `::ffff:${address}`, ` ${mappedInHex(address)}/128`]),
  groupsOfIPv6().map(
    (groups): Spellings => [
      groups.map((group) => group.toString(16)).join(':'),
      groups.map((group) => group.toString(16).padStart(4, '0').toUpperCase()).join(':'),
      `${withZerosShortened(groups)}/128`,
    ],
  ),
  fc.tuple(fc.ipV4(), fc.integer({ min: 16, max: 31 })).map(([address, prefix]): Spellings => {
    const block = `${firstOf(address, prefix)}/${prefix}`
    return [block, `${address}/${prefix}`, `${mappedInHex(address)}/${prefix + 96}`]
  }),
)

function groupsOfIPv6(): fc.Arbitrary<number[]> {
  const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }))
  // The first group is never zero: `::ffff:…` would be an IPv4 address.
  return fc
    .tuple(fc.integer({ min: 1, max: 0xffff }), fc.array(group, { minLength: 7, maxLength: 7 }))
    .map(([first, rest]) => [first, ...rest])
}

const octets = (address: string): number[] => address.split('.').map(Number)

const numberOf = (address: string): number =>
  octets(address).reduce((value, octet) => value * 256 + octet, 0)

function mappedInHex(address: string): string {
  const value = numberOf(address)
  return `0:0:0:0:0:FFFF:${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`
}

function firstOf(address: string, prefix: number): string {
  const first = (numberOf(address) & (0xffffffff << (32 - prefix))) >>> 0
  return [24, 16, 8, 0].map((shift) => (first >>> shift) & 255).join('.')
}

/** Writes `::` for the last run of zeros; the canonical form often shortens another one. */
function withZerosShortened(groups: number[]): string {
  const hex = (part: number[]) => part.map((group) => group.toString(16)).join(':')
  const end = groups.lastIndexOf(0)
  if (end < 0) return hex(groups)
  let start = end
  while (groups[start - 1] === 0) start--
  return `${hex(groups.slice(0, start))}::${hex(groups.slice(end + 1))}`
}
