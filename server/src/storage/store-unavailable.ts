import { Failure } from '../domain/failure.ts'

const retryAfterSeconds = 5

/** The store does not answer now and may later; callers are told when to ask again. */
export function storeUnavailable(message: string, cause?: unknown): Failure {
  return new Failure('STORE_UNAVAILABLE', message, { retryAfterSeconds, cause })
}

export const isStoreUnavailable = (error: unknown): error is Failure =>
  error instanceof Failure && error.code === 'STORE_UNAVAILABLE'
