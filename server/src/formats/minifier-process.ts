import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Carrier, CarrierEvents } from './content-worker.ts'
import type { Content, PresentFault } from './present.ts'

/** It and what it brings take some 100 MB, which is given back when nobody minifies any more. */
const idleMs = 60_000

/**
 * Minifying has a process of its own: there are pages that fill any heap, and where that happens
 * inside a built-in function the whole process goes, not only the thread.
 */
export function startMinifierProcess({ onAnswer, onGone }: CarrierEvents): Carrier {
  const child = fork(fileURLToPath(new URL('./minifier-program.ts', import.meta.url)), {
    execArgv: [],
    env: {},
    // Its last words about a full heap would stand between our log lines.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  })
  let jobCount = 0
  let isGone = false
  const idle = setTimeout(() => {
    if (jobCount > 0) return
    // Said before it is so: whatever is asked for meanwhile goes to another one.
    leave()
    child.kill('SIGKILL')
  }, idleMs)
  child.on('message', (answer: Content | PresentFault) => {
    jobCount -= 1
    idle.refresh()
    // What came lies in the middle of a larger buffer.
    onAnswer('kind' in answer ? { ...answer, bytes: new Uint8Array(answer.bytes) } : answer)
  })
  const closed = Promise.withResolvers<void>()
  child.on('close', leave)
  child.on('error', () => {
    // One that was never started does not end either.
    if (!child.kill('SIGKILL')) leave()
  })

  return {
    post(job) {
      jobCount += 1
      child.send(job, () => {})
    },
    async end() {
      child.kill('SIGKILL')
      await closed.promise
    },
  }

  function leave(): void {
    clearTimeout(idle)
    closed.resolve()
    if (!isGone) onGone()
    isGone = true
  }
}
