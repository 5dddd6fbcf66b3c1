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

/** Whether an address is within a block, or is the same; both as the service writes them. */
export function isWithin(block: string, address: string): boolean {
  const [start = '', prefix] = block.split('/')
  const [first, asked] = [bitsOf(start), bitsOf(address)]
  const length = Number(prefix ?? first.length)
  const isOfOneKind = first !== '' && first.length === asked.length
  const isPrefix = length >= 0 && length <= first.length
  return isOfOneKind && isPrefix && asked.startsWith(first.slice(0, length))
}

/** Whether an address is that of this machine, as it sees itself. */
export const isLoopback = (address: string): boolean =>
  isWithin('127.0.0.0/8', address) || isWithin('::1', address)

/** An address as 32 or 128 binary digits; empty if it is none. */
function bitsOf(address: string): string {
  if (!address.includes(':')) {
    const bytes = address.split('.')
    const isIpv4 = bytes.length === 4 && bytes.every((byte) => /^\d{1,3}$/.test(byte))
    return isIpv4 ? inBinary(bytes.map(Number), 8) : ''
  }
  if (!URL.canParse(`http://[${address}]`)) return ''
  const { hostname } = new URL(`http://[${address}]`)
  const [before = [], after = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((groups) => groups.split(':').filter((group) => group !== ''))
  const between = Array<string>(8 - before.length - after.length).fill('0')
  const groups = [...before, ...between, ...after].map((group) => Number.parseInt(group, 16))
  return inBinary(groups, 16)
}

const inBinary = (parts: number[], width: number): string =>
  parts.map((part) => part.toString(2).padStart(width, '0')).join('')
