/** Exit codes; 69 and 78 are those of sysexits.h, which service supervisors know. */
export const exitCodes = {
  failed: 1,
  badUsage: 2,
  notAuthorised: 3,
  notFound: 4,
  limited: 5,
  unreachable: 6,
  timedOut: 7,
  unavailable: 69,
  badConfiguration: 78,
  interrupted: 130,
  terminated: 143,
} as const

/** Failures that scripts may want to distinguish. */
const failureExitCodes: Partial<Record<string, number>> = {
  VALIDATION_ERROR: exitCodes.badUsage,
  UNAUTHORIZED: exitCodes.notAuthorised,
  FORBIDDEN: exitCodes.notAuthorised,
  NOT_FOUND: exitCodes.notFound,
  RATE_LIMITED: exitCodes.limited,
  QUEUE_FULL: exitCodes.limited,
  TARGET_TIMEOUT: exitCodes.timedOut,
  STORE_UNAVAILABLE: exitCodes.unavailable,
  STORE_FULL: exitCodes.unavailable,
}

/** The exit code for a failure with a code of the service. */
export const exitCodeOf = (code: string): number => failureExitCodes[code] ?? exitCodes.failed

/** An expected error of a command: its message says what to do. */
export class CommandFailure extends Error {
  readonly exitCode: number

  constructor(kind: keyof typeof exitCodes, message: string) {
    super(message)
    this.exitCode = exitCodes[kind]
  }
}
