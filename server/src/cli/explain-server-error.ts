import {
  type ErrorExplanation,
  type ExplainedErrors,
  exitCodeOf,
  exitCodes,
  explainError,
  findExplanation,
} from '../../../cli/src/index.ts'
import { ConfigProblems } from '../config.ts'
import { Failure } from '../domain/failure.ts'
import { BadBrowserPath } from '../engines/install/find-browser.ts'
import { CannotListen } from '../http/cannot-listen.ts'
import { DataFolderUnusable } from '../storage/data-folder.ts'
import { StoreRefused } from '../storage/outages/store-refused.ts'
import { RotationRefused } from '../storage/secrets/key-rotation.ts'
import { KeyFileChanged, WrongSecretKey } from '../storage/secrets/secret-key.ts'

/** Errors of the service that are printed without a stack, since their message says what to do. */
const explained: ExplainedErrors = [
  [ConfigProblems, exitCodes.badConfiguration],
  [DataFolderUnusable, exitCodes.badConfiguration],
  [BadBrowserPath, exitCodes.badConfiguration],
  [WrongSecretKey, exitCodes.badConfiguration],
  [KeyFileChanged, exitCodes.failed],
  [RotationRefused, exitCodes.failed],
  [CannotListen, exitCodes.unavailable],
  [StoreRefused, exitCodes.unavailable],
]

/** The message and exit code for an error of any command. */
export const explainServerError = (error: unknown): ErrorExplanation =>
  error instanceof Failure
    ? { message: error.message, exitCode: exitCodeOf(error.code) }
    : (findExplanation(error, explained) ?? explainError(error))
