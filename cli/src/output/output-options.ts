import type { Command } from 'commander'

/** The options of every command that prints a result. */
export const withOutputOptions = (command: Command): Command =>
  command
    .option('--json', 'one JSON document')
    .option('-o, --output <file>', 'write to a file instead of stdout')
