import { isLoopback, isWithin } from './address-blocks.ts'

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
