// The launcher behind every npm script: node scripts/launch.mjs [node flags] <file.ts> [args…]
// It uses built-in modules only, so it works in a fresh clone, and runs on Node 18, so it can install Node 24.
import './launch/refuse-old-node.mjs'

// Imported late: an old Node must print the message above before it parses newer syntax.
const { launchProgram, readCommandLine } = await import('./launch/launch-program.mjs')
await launchProgram(readCommandLine(process.argv.slice(2)))
