/** The entry of the command line: what a program with more commands, such as the server's, builds on. */

export { Command, CommanderError, InvalidArgumentError } from 'commander'
export { readRunningUrl, runningUrlPath } from './client/running-url.ts'
export { localServer, withServerOption } from './client/server-option.ts'
export { createProgram, isForClient } from './client-program.ts'
export {
  type ErrorExplanation,
  type ExplainedErrors,
  exitCodeOf,
  exitCodes,
  explainError,
  findExplanation,
} from './explain-error.ts'
export { onCtrlC } from './interruption.ts'
export { asTable, inColumns, type Printable, terminalWidth } from './output/columns.ts'
export { say } from './output/messages.ts'
export { withOutputOptions } from './output/output-options.ts'
export { type PrintFlags, printJson, printResult, printText } from './output/print-result.ts'
export { printable } from './output/printable-text.ts'
export { wrapWords } from './output/text-width.ts'
export { runCommandLine } from './run-command-line.ts'
