// The launcher behind every npm script: node scripts/launch.mjs [node flags] <file.ts> [args…]
// It needs built-ins only, so it works in a fresh clone, and Node 18, so it can bring Node 24.
import './launch/refuse-old-node.mjs'

// Imported late: an old Node must reach the message above before it meets newer syntax.
const { launchProgram, readCommandLine } = await import('./launch/launch-program.mjs')
await launchProgram(readCommandLine(process.argv.slice(2)))
