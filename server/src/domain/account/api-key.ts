import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'

const prefix = 'trawl_'
const randomBytesCount = 32
const randomCharactersCount = 43
const checksumCharactersCount = 6
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const generatedForm = new RegExp(
  `^${prefix}[0-9A-Za-z]{${randomCharactersCount + checksumCharactersCount}}$`,
)

/**
 * A key in the form we generate: a prefix that scanners recognise, 256 random bits, a checksum. Only
 * scanners look at the form: the operator's own key may have any, also this one with another checksum.
 */
export function formatApiKey(random: Uint8Array): string {
  if (random.length !== randomBytesCount)
    throw new RangeError(`A key needs ${randomBytesCount} bytes.`)
  const unchecked =
    prefix + inBase62(BigInt(`0x${Buffer.from(random).toString('hex')}`), randomCharactersCount)
  return unchecked + checksumOf(unchecked)
}

/** What the store keeps of a key. It has too much entropy to be guessed, so no slow hash is needed. */
export const digestOf = (key: string): string => hash('sha256', key)

/** The start of a key, to tell one from another in a list; too short to be of use to anyone else. */
export const labelOf = (key: string): string =>
  key.slice(0, generatedForm.test(key) ? prefix.length + 4 : 4)

const checksumOf = (text: string): string => inBase62(BigInt(crc32(text)), checksumCharactersCount)

function inBase62(value: bigint, width: number): string {
  let text = ''
  for (let rest = value; rest > 0n; rest /= 62n) text = digits[Number(rest % 62n)] + text
  return text.padStart(width, '0')
}
