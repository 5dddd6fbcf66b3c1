import { Readable } from 'node:stream'
import { asTable, type Printable } from './columns.ts'
import { terminalJson } from './terminal-json.ts'
import { writeOutput } from './write-output.ts'

/** How a command prints: `--json` and `-o`. */
export interface PrintFlags {
  json?: boolean | undefined
  output?: string | undefined
}

/** Prints what a command returns: a table, or with `--json` one JSON document. */
export async function printResult(printed: Printable, flags: PrintFlags): Promise<void> {
  if (flags.json) await printJson(JSON.stringify(printed, null, 2), flags)
  else
    await printText(
      flags.output === undefined ? asTable(printed) : asTable(printed, Infinity),
      flags,
    )
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
