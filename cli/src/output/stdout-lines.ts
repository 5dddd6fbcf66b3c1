import { terminalJson } from './terminal-json.ts'

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
