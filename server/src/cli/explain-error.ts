import { CommanderError } from 'commander'
import { ConfigProblems } from '../config.ts'
import { Failure } from '../domain/failure.ts'
import { BadBrowserPath } from '../engines/install/find-browser.ts'
import { CannotListen } from '../http/cannot-listen.ts'
import { DataFolderUnusable } from '../storage/data-folder.ts'
import { RotationRefused } from '../storage/key-rotation.ts'
import { KeyFileChanged, WrongSecretKey } from '../storage/secret-key.ts'
import { StoreRefused } from '../storage/store-refused.ts'
import { CommandFailure } from './command-failure.ts'
import { Interrupted, Terminated } from './interruption.ts'
import { NotTheService, ServiceTimedOut, ServiceUnreachable } from './service-errors.ts'

// The exit codes of sysexits.h, which service supervisors know.
const unavailable = 69
const badConfiguration = 78
const badUsage = 2
const failed = 1

/** Failures that scripts may want to distinguish. */
const failureExitCodes: Partial<Record<string, number>> = {
  VALIDATION_ERROR: badUsage,
  UNAUTHORIZED: 3,
  FORBIDDEN: 3,
  NOT_FOUND: 4,
  RATE_LIMITED: 5,
  QUEUE_FULL: 5,
  TARGET_TIMEOUT: 7,
  STORE_UNAVAILABLE: unavailable,
  STORE_FULL: unavailable,
}

/** Errors that are printed without a stack, since their message says what to do. */
const explained: [kind: new (...args: never[]) => Error, exitCode: number][] = [
  [ConfigProblems, badConfiguration],
  [DataFolderUnusable, badConfiguration],
  [BadBrowserPath, badConfiguration],
  [WrongSecretKey, badConfiguration],
  [KeyFileChanged, failed],
  [RotationRefused, failed],
  [CannotListen, unavailable],
  [StoreRefused, unavailable],
  [ServiceUnreachable, 6],
  [NotTheService, 6],
  [ServiceTimedOut, 7],
  [Interrupted, 130],
  [Terminated, 143],
]

/** The message and exit code for an error of a command. A bug is printed with its stack. */
export function explainError(error: unknown): { message: string | undefined; exitCode: number } {
  // Commander has printed its own message, and help is no error.
  if (error instanceof CommanderError) {
    return { message: undefined, exitCode: error.exitCode === 0 ? 0 : badUsage }
  }
  for (const [kind, exitCode] of explained) {
    if (error instanceof kind) return { message: error.message, exitCode }
  }
  if (error instanceof Failure || error instanceof CommandFailure) {
    return { message: error.message, exitCode: failureExitCodes[error.code] ?? failed }
  }
  return { message: error instanceof Error ? error.stack : String(error), exitCode: 1 }
}
