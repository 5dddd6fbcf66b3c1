import { openStdoutLines } from '../output/write-output.ts'
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

/** Prints each result as a line of JSON. */
export function stdoutSink(): ResultSink {
  const lines = openStdoutLines()
  return {
    write: ({ json }) => lines.write(json),
    [Symbol.asyncDispose]: async () => lines[Symbol.dispose](),
  }
}
