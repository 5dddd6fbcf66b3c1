import { explainError } from './explain-error.ts'
import { createProgram } from './program.ts'

/** Runs the words after `trawl`. A failure is explained on stderr and becomes the exit code. */
export async function runCommandLine(given: readonly string[]): Promise<void> {
  const isBareUrl = /^https?:\/\//i.test(given[0] ?? '')
  try {
    await createProgram().parseAsync(isBareUrl ? ['scrape', ...given] : given, { from: 'user' })
  } catch (error) {
    const { message, exitCode } = explainError(error)
    if (message) console.error(message)
    process.exitCode = exitCode
  }
}
