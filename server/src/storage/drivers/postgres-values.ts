import type { CustomTypesConfig } from 'pg'

type Parse = (text: string) => unknown

/**
 * Parses PostgreSQL's values into the types that SQLite returns: every number is a number, a boolean is
 * 0 or 1, bytes are a plain `Uint8Array`, the rest is text.
 */
export const valueParsers: CustomTypesConfig = {
  getTypeParser: (typeId: number) => parserOf[typeId] ?? asText,
}

const asText: Parse = (text) => text

function asNumber(text: string): number {
  const number = Number(text)
  const isExact = Number.isSafeInteger(number) || !Number.isInteger(number)
  if (!isExact && /^-?\d+$/.test(text)) {
    throw new RangeError(`The number ${text} is too large to be exact.`)
  }
  return number
}

const asBit: Parse = (text) => (text === 't' ? 1 : 0)

/** Allocated outside Node's shared buffer pool, so that it can be transferred to a thread. */
function asBytes(text: string): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow((text.length - 2) / 2)
  bytes.write(text.slice(2), 'hex')
  return new Uint8Array(bytes.buffer)
}

// The keys are type ids (OIDs) of PostgreSQL's catalogue pg_type.
const parserOf: Record<number, Parse> = {
  16: asBit,
  17: asBytes,
  20: asNumber, // int8
  21: asNumber, // int2
  23: asNumber, // int4
  700: asNumber, // float4
  701: asNumber, // float8
  1700: asNumber, // numeric, which is what a sum of int8 is
}
