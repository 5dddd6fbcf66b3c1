import { TrawlError } from '@trawl/sdk'
import { CommanderError } from 'commander'
import { explainCall } from './client/service-client.ts'
import { CommandFailure, exitCodes } from './command-failure.ts'

export interface ErrorExplanation {
  message: string | undefined
  exitCode: number
}

/** The message and exit code for an error of a command. A bug is printed with its stack. */
export function explainError(error: unknown): ErrorExplanation {
  // Commander has printed its own message, and help is no error.
  if (error instanceof CommanderError) {
    return { message: undefined, exitCode: error.exitCode === 0 ? 0 : exitCodes.badUsage }
  }
  if (error instanceof CommandFailure) return error
  if (error instanceof TrawlError) return explainCall(error)
  const message = error instanceof Error ? error.stack : String(error)
  return { message, exitCode: exitCodes.failed }
}
