import { backoffMs } from '../domain/backoff.ts'
import { Failure, type FailureCode } from '../domain/failure.ts'
import { ServiceTimedOut, ServiceUnreachable } from './service-unreachable.ts'

/** Refusals that pass: of a limit, or of a service that is busy or restarts. */
const passing: ReadonlySet<FailureCode> = new Set([
  'RATE_LIMITED',
  'QUEUE_FULL',
  'OVERLOADED',
  'SHUTTING_DOWN',
  'STORE_UNAVAILABLE',
])

/** About two minutes in all, enough for a restart of the service. */
const readRetriesMax = 15
const startRetriesMax = 3
const retryAfterSecondsMax = 60

/**
 * How long to wait before a call of the service is made again; undefined if it should not be. A job that
 * runs is worth waiting for. A new one is refused at once, unless the service says when to come back.
 */
export function retryPauseMs(
  error: unknown,
  call: { what: 'start' | 'read'; failuresInARow: number; random: number },
): number | undefined {
  const { what, failuresInARow, random } = call
  const isLost = error instanceof ServiceUnreachable || error instanceof ServiceTimedOut
  const isPassing = error instanceof Failure && passing.has(error.code)
  const seconds = error instanceof Failure ? error.retryAfterSeconds : undefined
  if (what === 'start' && (!isPassing || seconds === undefined)) return undefined
  if (!isLost && !isPassing) return undefined
  if ((seconds ?? 0) > retryAfterSecondsMax) return undefined
  if (failuresInARow > (what === 'start' ? startRetriesMax : readRetriesMax)) return undefined
  const pauseMs = backoffMs(failuresInARow, { firstMs: 250, msMax: 10_000, random })
  return Math.max(pauseMs, (seconds ?? 0) * 1000)
}

/** How long to wait before a job is looked at again: soon for small ones, seldom for long ones. */
export const pollPauseMs = (pollsCount: number): number =>
  Math.min(150 * 1.3 ** Math.min(pollsCount, 20), 2000)
