import { randomUUIDv7 } from 'node:crypto'

/** A caller may name its request; anything that could not be a harmless name is replaced by ours. */
export const correlationIdOf = (given: string | string[] | undefined): string =>
  typeof given === 'string' && /^[A-Za-z0-9_-]{8,64}$/.test(given) ? given : randomUUIDv7()
