import { isIP } from 'node:net'
import { z } from 'zod'
import { canonicalName } from '../host-name.ts'
import { canonicalBlock } from '../ip-block.ts'
import { parseBytes, parseDurationMs } from '../units.ts'

/** A type of setting, parsed from text, with a message that says what was expected. */
export function kind<Value>(expected: string, read: (text: string) => Value | undefined) {
  return z.string().transform((text, issues) => {
    const value = read(text)
    if (value !== undefined) return value
    issues.addIssue(`must be ${expected}`)
    return z.NEVER
  })
}

const readWhole = (min: number, max: number) => (text: string) =>
  /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined

export const text = kind('a text', (given) => given || undefined)
export const port = kind('a whole number from 0 to 65535', readWhole(0, 65_535))
export const count = kind('a whole number from 1', readWhole(1, Number.MAX_SAFE_INTEGER))
export const duration = kind('a duration such as 30s, 5m or 72h', parseDurationMs)
export const bytes = kind('a size such as 256kb or 10mb', parseBytes)

export const url = kind('an absolute URL', (given) => (URL.canParse(given) ? given : undefined))

export const key32 = kind('32 bytes as base64', (given) =>
  /^[\w+/-]{43}=?$/.test(given) ? Buffer.from(given, 'base64') : undefined,
)

export function choice<const Option extends string>(options: readonly Option[]) {
  return kind(`one of ${options.join(', ')}`, (given) =>
    options.find((option) => option === given.toLowerCase()),
  )
}

/** A comma-separated list; empty text is the empty list. */
export function listOf<Value>(expected: string, read: (item: string) => Value | undefined) {
  return kind(`a comma-separated list of ${expected}`, (given) => {
    const items = given === '' ? [] : given.split(',').map((item) => read(item.trim()))
    return items.includes(undefined) ? undefined : (items as Value[])
  })
}

export const durationList = listOf('durations such as 0s,5s,2m', parseDurationMs)

export const addressList = listOf('addresses or CIDR blocks', (item) => canonicalBlock(item))

export const serverList = listOf('addresses, with or without a port', (item) => {
  const [, address = item] = /^\[?([^\]]+)\]?:\d{1,5}$/.exec(isIP(item) === 0 ? item : '') ?? []
  return isIP(address) === 0 ? undefined : item
})

export const hostList = listOf('host names or addresses without a port', (item) =>
  /[^:]:\d+$/.test(item) && isIP(item) === 0 ? undefined : canonicalName(item),
)
