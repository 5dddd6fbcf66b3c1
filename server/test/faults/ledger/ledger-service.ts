/** The service in a process of its own that dies at a named moment, the n-th time it comes to it. */
import { loadConfig } from '../../../src/config.ts'
import { startService } from '../../../src/main.ts'
import { watchCrashPoints } from '../../../src/runtime/crash-point.ts'
import { createLog } from '../../../src/runtime/log.ts'

// Whoever started this and is gone cannot end it any more.
process.stdin.resume().once('end', () => process.exit())

const { environment, crash } = JSON.parse(process.argv[2] ?? '{}')
let timesLeft = crash?.times ?? Number.POSITIVE_INFINITY
watchCrashPoints((point) => {
  if (point !== crash?.point) return
  timesLeft -= 1
  if (timesLeft === 0) process.kill(process.pid, 'SIGKILL')
})
const { config } = loadConfig({}, environment)
const service = await startService(config, createLog({ level: 'warn', isPretty: false }))
console.log(service.url)
