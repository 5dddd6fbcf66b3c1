/** How many the API takes at once. */
const addressesMax = 10

/** The addresses that somebody has typed, by lines, commas or spaces; each once. */
export function readAddresses(text: string): string[] {
  const addresses = [...new Set(text.split(/[\s,;]+/).filter((part) => part !== ''))]
  if (addresses.length === 0) throw new Error('Give an address.')
  if (addresses.length > addressesMax) {
    throw new Error(`Give ${addressesMax} addresses at most; these are ${addresses.length}.`)
  }
  return addresses
}

/** Why the own address cannot be added; undefined if it can. */
export function refusalOfMyAddress(address: string, blocks: readonly string[]): string | undefined {
  if (isLoopback(address)) {
    return `You are on the machine of the service (${address}): every program on it would need no credentials.`
  }
  const known = blocks.find((block) => isWithin(block, address))
  if (known === address) return `Your address, ${address}, is on the list.`
  if (known !== undefined) return `Your address, ${address}, is within ${known}.`
  return undefined
}

/** An address as a number, and how many bits it has. */
interface AddressBits {
  value: bigint
  bits: 32 | 128
}

/** Whether an address is within a block, or is the same; both as the service writes them. */
export function isWithin(block: string, address: string): boolean {
  const [start = '', prefixText] = block.split('/')
  const [first, asked] = [bitsOf(start), bitsOf(address)]
  if (!first || !asked || first.bits !== asked.bits) return false
  const prefix = prefixText === undefined ? first.bits : Number(prefixText)
  if (!(prefix >= 0 && prefix <= first.bits)) return false
  const dropped = BigInt(first.bits - prefix)
  return first.value >> dropped === asked.value >> dropped
}

/** Whether an address is that of this machine, as it sees itself. */
export const isLoopback = (address: string): boolean =>
  isWithin('127.0.0.0/8', address) || isWithin('::1', address)

function bitsOf(address: string): AddressBits | undefined {
  return address.includes(':') ? bitsOfIpv6(address) : bitsOfIpv4(address)
}

function bitsOfIpv4(address: string): AddressBits | undefined {
  const bytes = address.split('.')
  if (bytes.length !== 4 || !bytes.every((byte) => /^\d{1,3}$/.test(byte))) return undefined
  return { value: joined(bytes.map(Number), 8n), bits: 32 }
}

function bitsOfIpv6(address: string): AddressBits | undefined {
  const [head = '', tail, ...rest] = address.split('::')
  const groupsOf = (text: string | undefined) => (text ? text.split(':') : [])
  const [before, after] = [groupsOf(head), groupsOf(tail)]
  const missing = 8 - before.length - after.length
  if (rest.length > 0 || (tail === undefined ? missing !== 0 : missing < 1)) return undefined
  const groups = [...before, ...Array<string>(missing).fill('0'), ...after]
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined
  return {
    value: joined(
      groups.map((group) => Number.parseInt(group, 16)),
      16n,
    ),
    bits: 128,
  }
}

const joined = (parts: number[], width: bigint): bigint =>
  parts.reduce((value, part) => (value << width) | BigInt(part), 0n)
