import { randomUUIDv7 } from 'node:crypto'

/** Takes the caller's `X-Request-Id` if it is safe to log, else generates one. */
export const correlationIdOf = (given: string | string[] | undefined): string =>
  typeof given === 'string' && /^[A-Za-z0-9_-]{8,64}$/.test(given) ? given : randomUUIDv7()
