import { Failure, type FailureCode } from '../../domain/failure.ts'

const retryAfterSeconds = 5
// Longer, since somebody has to free space first.
const retryAfterSecondsWhenFull = 30

/** The store does not respond now and may later; the caller gets a Retry-After. */
export function storeUnavailable(message: string, cause?: unknown): Failure {
  return new Failure('STORE_UNAVAILABLE', message, { retryAfterSeconds, cause })
}

/** The store responds, but has no space left to write. */
export const storeFull = (cause?: unknown): Failure =>
  new Failure('STORE_FULL', 'The store has no space left. Retry later.', {
    retryAfterSeconds: retryAfterSecondsWhenFull,
    cause,
  })

const outageCodes: ReadonlySet<FailureCode> = new Set(['STORE_UNAVAILABLE', 'STORE_FULL'])

/** The call failed because of an outage of the store that may pass, so a retry may succeed. */
export const isStoreUnavailable = (error: unknown): error is Failure =>
  error instanceof Failure && outageCodes.has(error.code)
