import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { Interrupted } from '../interruption.ts'

/** Asks for a secret on the terminal, without showing what is typed. */
export async function askSecret(question: string): Promise<string> {
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() })
  // As a terminal, so that the characters are not echoed by the system either.
  const asking = createInterface({ input: process.stdin, output: silence, terminal: true })
  process.stderr.write(question)
  try {
    return await new Promise<string>((resolve, reject) => {
      asking.on('SIGINT', () => reject(new Interrupted('interrupted')))
      asking.on('close', () => resolve(''))
      asking.on('line', resolve)
    })
  } finally {
    asking.close()
    process.stderr.write('\n')
  }
}
