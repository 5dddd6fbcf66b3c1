import { Failure, type FailureCode } from '../domain/failure.ts'

const retryAfterSeconds = 5
// Space does not come back by waiting a moment: somebody has to make room.
const roomAfterSeconds = 30

/** The store does not answer now and may later; callers are told when to ask again. */
export function storeUnavailable(message: string, cause?: unknown): Failure {
  return new Failure('STORE_UNAVAILABLE', message, { retryAfterSeconds, cause })
}

/** The store answers and has no space left to write. */
export const storeFull = (cause?: unknown): Failure =>
  new Failure('STORE_FULL', 'The store has no space left. Ask again later.', {
    retryAfterSeconds: roomAfterSeconds,
    cause,
  })

const outageCodes: ReadonlySet<FailureCode> = new Set(['STORE_UNAVAILABLE', 'STORE_FULL'])

/** The store could not do what it was asked, for a reason that may pass: whoever can wait asks again. */
export const isStoreUnavailable = (error: unknown): error is Failure =>
  error instanceof Failure && outageCodes.has(error.code)
