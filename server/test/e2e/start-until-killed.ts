/** Runs `trawl serve` in a process that is killed at a named crash point. */
import { watchCrashPoints } from '../../src/runtime/crash-point.ts'

const killedAt = process.argv.pop()
watchCrashPoints((point) => {
  if (point === killedAt) process.kill(process.pid, 'SIGKILL')
})
await import('../../src/cli.ts')
