/**
 * The minifier's process. The work is done in a thread of it, so that the process itself always
 * notices when the service is gone, however long a page takes.
 */
import { Worker } from 'node:worker_threads'

const thread = new Worker(new URL('./present-thread.ts', import.meta.url), {
  execArgv: [],
  resourceLimits: { maxOldGenerationSizeMb: 256 },
})
thread.on('message', (answer: object) => process.send?.(answer))
thread.on('exit', () => process.exit(1))
process.on('message', (job) => thread.postMessage(job))
process.on('disconnect', () => process.exit(0))
// A terminal sends these to everyone; who started us decides when we end.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
