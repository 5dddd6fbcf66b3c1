import type { Command } from 'commander'
import { type ErrorExplanation, explainError } from './explain-error.ts'

/** Runs the words after `trawl`. A failure is explained on stderr and becomes the exit code. */
export async function runCommandLine(
  program: Command,
  given: readonly string[],
  explain: (error: unknown) => ErrorExplanation = explainError,
): Promise<void> {
  const words = isBareUrl(given[0]) ? ['scrape', ...given] : given
  try {
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    const { message, exitCode } = explain(error)
    if (message) console.error(message)
    process.exitCode = exitCode
  }
}

/** `trawl URL` is `trawl scrape URL`. */
export const isBareUrl = (word = ''): boolean => /^https?:\/\//i.test(word)
