import { createProgram, isForClient, runCommandLine } from '../../cli/src/index.ts'

const words = process.argv.slice(2)
if (isForClient(words)) await runCommandLine(createProgram(), words)
else {
  // Loaded here, since commands that call a service need nothing of it.
  const { runWholeProgram } = await import('./cli/whole-program.ts')
  await runWholeProgram(words)
}
