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
 * The form of the keys that we generate: a prefix for secret scanners, 256 random bits, a checksum.
 * Only scanners check the form: the operator's own key may have any, even this with a wrong checksum.
 */
export function formatApiKey(random: Uint8Array): string {
  if (random.length !== randomBytesCount)
    throw new RangeError(`A key needs ${randomBytesCount} bytes.`)
  const unchecked =
    prefix + inBase62(BigInt(`0x${Buffer.from(random).toString('hex')}`), randomCharactersCount)
  return unchecked + checksumOf(unchecked)
}

/** The hash that the store keeps. A key has too much entropy to be guessed, so a fast hash is safe. */
export const digestOf = (key: string): string => hash('sha256', key)

/** The start of a key, which tells keys apart in a list and is too short to help an attacker. */
export const labelOf = (key: string): string =>
  key.slice(0, generatedForm.test(key) ? prefix.length + 4 : 4)

const checksumOf = (text: string): string => inBase62(BigInt(crc32(text)), checksumCharactersCount)

function inBase62(value: bigint, width: number): string {
  let text = ''
  for (let rest = value; rest > 0n; rest /= 62n) text = digits[Number(rest % 62n)] + text
  return text.padStart(width, '0')
}
