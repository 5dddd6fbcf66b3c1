import {
  type ErrorExplanation,
  exitCodeOf,
  exitCodes,
  explainError,
} from '../../../cli/src/index.ts'
import { ConfigProblems } from '../config.ts'
import { Failure } from '../domain/failure.ts'
import { BadBrowserPath } from '../engines/install/find-browser.ts'
import { CannotListen } from '../http/cannot-listen.ts'
import { TooFewDescriptors } from '../runtime/machine/open-files.ts'
import { DataFolderUnusable } from '../storage/data-folder.ts'
import { StoreRefused } from '../storage/outages/store-refused.ts'
import { RotationRefused } from '../storage/secrets/key-rotation.ts'
import { KeyFileChanged, WrongSecretKey } from '../storage/secrets/secret-key.ts'

/** Errors of the service that are printed without a stack, since their message says what to do. */
const explained: readonly [kind: new (...args: never[]) => Error, exitCode: number][] = [
  [ConfigProblems, exitCodes.badConfiguration],
  [DataFolderUnusable, exitCodes.badConfiguration],
  [BadBrowserPath, exitCodes.badConfiguration],
  [TooFewDescriptors, exitCodes.badConfiguration],
  [WrongSecretKey, exitCodes.badConfiguration],
  [KeyFileChanged, exitCodes.failed],
  [RotationRefused, exitCodes.failed],
  [CannotListen, exitCodes.unavailable],
  [StoreRefused, exitCodes.unavailable],
]

export function explainServerError(error: unknown): ErrorExplanation {
  if (error instanceof Failure) {
    return { message: error.message, exitCode: exitCodeOf(error.code) }
  }
  const found = explained.find(([kind]) => error instanceof kind)
  return found ? { message: (error as Error).message, exitCode: found[1] } : explainError(error)
}
