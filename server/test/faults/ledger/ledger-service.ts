/** The service in its own process, which dies the n-th time it reaches a named crash point. */
import { createInterface } from 'node:readline'
import type { Worker } from 'node:worker_threads'
import { loadConfig } from '../../../src/config.ts'
import { startService } from '../../../src/main.ts'
import { watchCrashPoints } from '../../../src/runtime/crash-point.ts'
import { createLog } from '../../../src/runtime/log.ts'

const databaseThreads: Worker[] = []
process.on('worker', (worker) => {
  if (worker.threadName === 'database') databaseThreads.push(worker)
})

const words = createInterface({ input: process.stdin })
// The parent process has died, so nobody else would end this one.
words.once('close', () => process.exit())
words.on('line', (line) => {
  const [, pages] = /^pages (\d+)$/.exec(line) ?? []
  if (pages !== undefined) databaseThreads.at(-1)?.postMessage(pageLimit(pages))
  const [, point, times] = /^crash (\w+) (\d+)$/.exec(line) ?? []
  if (point !== undefined) crash = { point, times: Number(times) }
})

const { environment, ...given } = JSON.parse(process.argv[2] ?? '{}')
let crash: { point: string; times: number } | undefined = given.crash
watchCrashPoints((point) => {
  if (point !== crash?.point) return
  crash.times -= 1
  if (crash.times === 0) process.kill(process.pid, 'SIGKILL')
})
const { config } = loadConfig({}, environment)
const service = await startService(config, createLog({ level: 'warn', isPretty: false }))
console.log(service.url)

/** Limits the service's own connection, since SQLite applies `max_page_count` per connection. */
function pageLimit(pages: string) {
  const text = `pragma max_page_count = ${pages}`
  const expiresAtNs = process.hrtime.bigint() + 60_000_000_000n
  const call = [{ text, values: [], isRequired: false, isScript: true }]
  return { number: -1, newTexts: [], calls: [call], expiresAtNs }
}
