/**
 * What a worker process runs. A thread of it does the work, so that the main thread stays free to notice
 * when the service has exited or the memory is used up, however long a page takes.
 */
import { Worker } from 'node:worker_threads'

const thread = new Worker(new URL('./worker-thread-main.ts', import.meta.url), {
  execArgv: [],
  resourceLimits: { maxOldGenerationSizeMb: 256 },
})
thread.on('message', (reply: object) => process.send?.(reply))
thread.on('exit', () => process.exit(1))
process.on('message', (page) => thread.postMessage(page))
/**
 * A PDF of 2 KB can unpack to gigabytes, in buffers that the heap's limit does not count. No ordinary
 * file of the largest size takes half of this.
 */
const residentBytesMax = 2 ** 30
setInterval(() => {
  if (process.memoryUsage.rss() > residentBytesMax) process.exit(1)
}, 50)
process.on('disconnect', () => process.exit(0))
// A terminal sends these to the whole process group, but the service decides when this one ends.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
