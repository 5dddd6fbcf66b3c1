/** The entry of the command line: what a program with more commands, such as the server's, builds on. */

export { Command, CommanderError, InvalidArgumentError } from 'commander'
export { readRunningUrl, runningUrlPath } from './client/running-url.ts'
export { localServer, withServerOption } from './client/service-options.ts'
export { createProgram, isForClient } from './client-program.ts'
export { exitCodeOf, exitCodes } from './command-failure.ts'
export { type ErrorExplanation, explainError } from './explain-error.ts'
export { onCtrlC } from './interruption.ts'
export { say } from './output/messages.ts'
export {
  type PrintFlags,
  printJson,
  printResult,
  printText,
  withOutputOptions,
} from './output/print.ts'
export { asTable, inColumns, type Printable, terminalWidth } from './output/table.ts'
export { printable, wrapWords } from './output/terminal-text.ts'
export { runCommandLine } from './run-command-line.ts'
