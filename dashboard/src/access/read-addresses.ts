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
