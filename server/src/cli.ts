import { createProgram, isForClient } from './cli/client-program.ts'
import { runCommandLine } from './cli/run-command-line.ts'

const words = process.argv.slice(2)
if (isForClient(words)) await runCommandLine(createProgram(), words)
else {
  // Loaded here, since commands that call a service need nothing of it.
  const { runWholeProgram } = await import('./cli/whole-program.ts')
  await runWholeProgram(words)
}
