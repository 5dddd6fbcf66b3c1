import type { Idempotency } from '../../tasks/submit.ts'
import { IdempotencyKeyReused } from '../../tasks/submit.ts'
import { InvalidRequest } from '../errors/problem.ts'
import { fingerprintOf } from '../responses/tasks.ts'

/** The key of a request with the fingerprint of its body, if it has one. */
export const idempotencyOf = (key: string | undefined, body: unknown): Idempotency | undefined =>
  key === undefined ? undefined : { key, fingerprint: fingerprintOf(body) }

/** Turns the reuse of a key into a fault of the request. */
export function explainKeyReuse(error: unknown): never {
  if (!(error instanceof IdempotencyKeyReused)) throw error
  const msg = 'This key was used for a request with another body; use a new key'
  throw new InvalidRequest([{ loc: ['header', 'idempotency-key'], msg, type: 'value_error' }])
}
