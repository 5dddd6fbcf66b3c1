import { Readable } from 'node:stream'
import type { Command } from 'commander'
import { asTable, type Printable, terminalWidth } from './table.ts'
import { terminalJson } from './terminal-text.ts'
import { writeOutput } from './write-output.ts'

/** How a command prints: `--json` and `-o`. */
export interface PrintFlags {
  json?: boolean | undefined
  output?: string | undefined
}

export const withOutputOptions = (command: Command): Command =>
  command
    .option('--json', 'one JSON document')
    .option('-o, --output <file>', 'write to a file instead of stdout')

/** Prints what a command returns: a table, or with `--json` one JSON document. */
export async function printResult(printed: Printable, flags: PrintFlags): Promise<void> {
  if (flags.json) return await printJson(JSON.stringify(printed, null, 2), flags)
  const width = flags.output === undefined ? terminalWidth() : Infinity
  await printText(asTable(printed, width), flags)
}

export async function printJson(json: string, flags: PrintFlags): Promise<void> {
  const isOnTerminal = flags.output === undefined && process.stdout.isTTY
  await printText(isOnTerminal ? terminalJson(json) : json, flags)
}

/** Prints a text that a terminal may have, and the end of its line. */
export async function printText(text: string, { output }: PrintFlags): Promise<void> {
  if (output === undefined) console.log(text)
  // New keys and secrets are printed too.
  else await writeOutput(Readable.from([Buffer.from(`${text}\n`)]), output, { isPrivate: true })
}

// TypeScript does not know it yet.
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(source: string): unknown }

/** Numbers keep their digits, of which JavaScript would lose some. */
export const indentJson = (json: string): string =>
  JSON.stringify(
    JSON.parse(json, (_name, value: unknown, { source }: { source?: string } = {}) =>
      typeof value === 'number' && source !== undefined ? rawJson(source) : value,
    ),
    null,
    2,
  )
