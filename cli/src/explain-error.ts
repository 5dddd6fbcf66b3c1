import { CommanderError } from 'commander'
import { BadSettings } from './client/local-settings.ts'
import { NotTheService, ServiceTimedOut, ServiceUnreachable } from './client/service-errors.ts'
import { CommandFailure } from './command-failure.ts'
import { PortUnavailable } from './commands/listen-command.ts'
import { Interrupted, Terminated } from './interruption.ts'

/** What is printed of an error, and the exit code. */
export interface ErrorExplanation {
  message: string | undefined
  exitCode: number
}

/** Exit codes; 69 and 78 are those of sysexits.h, which service supervisors know. */
export const exitCodes = {
  failed: 1,
  badUsage: 2,
  unreachable: 6,
  timedOut: 7,
  unavailable: 69,
  badConfiguration: 78,
} as const

/** Failures that scripts may want to distinguish. */
const failureExitCodes: Partial<Record<string, number>> = {
  VALIDATION_ERROR: exitCodes.badUsage,
  UNAUTHORIZED: 3,
  FORBIDDEN: 3,
  NOT_FOUND: 4,
  RATE_LIMITED: 5,
  QUEUE_FULL: 5,
  TARGET_TIMEOUT: exitCodes.timedOut,
  STORE_UNAVAILABLE: exitCodes.unavailable,
  STORE_FULL: exitCodes.unavailable,
}

/** The exit code for a failure with a code of the service. */
export const exitCodeOf = (code: string): number => failureExitCodes[code] ?? exitCodes.failed

export type ExplainedErrors = readonly [kind: new (...args: never[]) => Error, exitCode: number][]

/** Errors that are printed without a stack, since their message says what to do. */
const explained: ExplainedErrors = [
  [BadSettings, exitCodes.badConfiguration],
  [PortUnavailable, exitCodes.unavailable],
  [ServiceUnreachable, exitCodes.unreachable],
  [NotTheService, exitCodes.unreachable],
  [ServiceTimedOut, exitCodes.timedOut],
  [Interrupted, 130],
  [Terminated, 143],
]

/** The message and exit code for an error of a command. A bug is printed with its stack. */
export function explainError(error: unknown): ErrorExplanation {
  // Commander has printed its own message, and help is no error.
  if (error instanceof CommanderError) {
    return { message: undefined, exitCode: error.exitCode === 0 ? 0 : exitCodes.badUsage }
  }
  if (error instanceof CommandFailure) {
    return { message: error.message, exitCode: exitCodeOf(error.code) }
  }
  const message = error instanceof Error ? error.stack : String(error)
  return findExplanation(error, explained) ?? { message, exitCode: exitCodes.failed }
}

/** Undefined for an error that is none of these. */
export function findExplanation(
  error: unknown,
  kinds: ExplainedErrors,
): ErrorExplanation | undefined {
  for (const [kind, exitCode] of kinds) {
    if (error instanceof kind) return { message: error.message, exitCode }
  }
  return undefined
}
