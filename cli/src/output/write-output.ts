import { createWriteStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CommandFailure } from '../command-failure.ts'
import { printableLines, terminalJson } from './terminal-text.ts'

/** Writes what a command was asked for to a file, or to stdout. */
export async function writeOutput(
  body: Readable,
  file: string | undefined,
  { isPrivate = false }: { isPrivate?: boolean } = {},
): Promise<void> {
  if (file !== undefined) return await writeFile(body, file, isPrivate ? 0o600 : 0o666)
  const { stdout } = process
  try {
    if (stdout.isTTY) await pipeline(body, asPrintable, stdout, { end: false })
    else await pipeline(body, stdout, { end: false })
  } catch (error) {
    // The reader of a pipe, such as `head`, may close it early.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}

async function writeFile(body: Readable, file: string, mode: number): Promise<void> {
  try {
    await pipeline(body, createWriteStream(file, { mode }))
  } catch (error) {
    throw explainFileError(error, `Cannot write to ${file}`)
  }
}

/** An error of the file system is a mistake in the command line; any other is returned as it is. */
export function explainFileError(error: unknown, what: string): unknown {
  const { code, syscall, message } = error as NodeJS.ErrnoException
  return syscall === undefined
    ? error
    : new CommandFailure('badUsage', `${what}: ${code ?? message}`)
}

/** Escapes control characters, with which a page could take over the terminal. */
async function* asPrintable(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const chunk of body) yield printableLines(decoder.decode(chunk, { stream: true }))
  yield `${printableLines(decoder.decode())}\n`
}

/** The reader of stdout, such as `head`, wants no more. */
export class ReaderGone extends Error {}

/** Prints lines of JSON, or others that are printable, as fast as the reader takes them. */
export interface StdoutLines extends Disposable {
  write(line: string): Promise<void>
}

export function openStdoutLines(): StdoutLines {
  const { stdout } = process
  // The error is reported by the callback of the write.
  const onError = () => undefined
  stdout.on('error', onError)
  return {
    async write(line) {
      const text = `${stdout.isTTY ? terminalJson(line) : line}\n`
      await new Promise<void>((resolve, reject) => {
        stdout.write(text, (error) => (error ? reject(new ReaderGone()) : resolve()))
      })
    },
    [Symbol.dispose]: () => void stdout.off('error', onError),
  }
}
