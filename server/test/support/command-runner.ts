/**
 * A process that runs one command line after another, as each would run in a process of its own, and
 * reports its end: starting Node for each takes longer than most commands.
 */
import { runWholeProgram } from '../../src/cli/whole-program.ts'

const written = { stdout: '', stderr: '' }
for (const name of ['stdout', 'stderr'] as const) {
  const write = (chunk: string | Uint8Array, ...more: unknown[]): boolean => {
    written[name] += Buffer.from(chunk).toString()
    const done = more.at(-1)
    if (typeof done === 'function') done()
    return true
  }
  process[name].write = write
}

process.on('message', async (args: string[]) => {
  Object.assign(written, { stdout: '', stderr: '' })
  process.exitCode = 0
  await runWholeProgram(args)
  process.send?.({ code: process.exitCode, ...written })
})
