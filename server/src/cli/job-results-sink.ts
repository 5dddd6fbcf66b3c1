import { printableLines } from '../runtime/printable-text.ts'
import type { PageFormat } from './page-options.ts'

/** One result of a job, on its way out. */
export interface JobResultLine {
  /** Null for a URL that was refused with its whole batch. */
  jobId: string | null
  /** As the service sent it, with the place in the whole list. */
  json: string
  item: Record<string, unknown>
  format: PageFormat
}

/** Where the results go. */
export interface ResultSink extends AsyncDisposable {
  write(result: JobResultLine): Promise<void>
}

/** The reader of stdout, such as `head`, wants no more. */
export class ReaderGone extends Error {}

/** Prints each result as a line of JSON. */
export function stdoutSink(): ResultSink {
  const { stdout } = process
  // The error is reported by the callback of the write.
  const onError = () => undefined
  stdout.on('error', onError)
  return {
    async write({ json }) {
      // JSON has no line feeds of its own, but other characters that a terminal would obey.
      const line = `${stdout.isTTY ? printableLines(json) : json}\n`
      await new Promise<void>((resolve, reject) => {
        stdout.write(line, (error) => (error ? reject(new ReaderGone()) : resolve()))
      })
    },
    [Symbol.asyncDispose]: async () => void stdout.off('error', onError),
  }
}
