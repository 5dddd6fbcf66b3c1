import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Idempotency } from '../../tasks/submit.ts'
import { IdempotencyKeyReused } from '../../tasks/submit.ts'
import { InvalidRequest } from '../errors/problem.ts'

/** The idempotency key is a structured-field string (quoted) or the bare text. */
export const IdempotencyHeader = z.object({
  'idempotency-key': z
    .string()
    .regex(/^(?!""$)[\x20-\x7e]{1,255}$/)
    .transform((text) => text.replace(/^"(.*)"$/, '$1'))
    .optional()
    .describe(
      'The same key and body within 24 hours give the first response again instead of a second task.',
    ),
})

export const idempotencyOf = (key: string | undefined, body: unknown): Idempotency | undefined =>
  key === undefined ? undefined : { key, fingerprint: fingerprintOf(body) }

export function explainKeyReuse(error: unknown): never {
  if (!(error instanceof IdempotencyKeyReused)) throw error
  const msg = 'This key was used for a request with another body; use a new key'
  throw new InvalidRequest([{ loc: ['header', 'idempotency-key'], msg, type: 'value_error' }])
}

/**
 * Hashes JSON independently of field order and spacing. Each plain value, and each list of plain values,
 * is a line. Other lists have a line with their length, objects one with their field names. So different
 * bodies give different lines. It does not recurse, since a body may be nested deeper than the stack.
 */
function fingerprintOf(body: unknown): string {
  const hash = createHash('sha256')
  const waiting = [body]
  let lines = ''
  for (let isFirst = true; waiting.length > 0; isFirst = false) {
    const value = waiting.pop()
    if (!isFirst) lines += '\n'
    if (Array.isArray(value) && value.some(isContainer)) {
      lines += `[${value.length}`
      for (const item of value) waiting.push(item)
    } else if (isContainer(value) && !Array.isArray(value)) {
      const fields = value as Record<string, unknown>
      const names = Object.keys(fields).sort()
      lines += `{${JSON.stringify(names)}`
      for (const name of names) waiting.push(fields[name])
    } else lines += JSON.stringify(value)
    if (lines.length > hashedAtOnce) {
      hash.update(lines)
      lines = ''
    }
  }
  return hash.update(lines).digest('hex')
}

// Joining a hundred thousand lines into one text would take longer than hashing them.
const hashedAtOnce = 4096

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null
