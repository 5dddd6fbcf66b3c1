import { readFileSync } from 'node:fs'

/**
 * A signal sent to npm alone ends npm and leaves its script behind. So a script of npm watches its
 * parents: others than at the start mean that npm has gone, and what it started has to follow.
 */
export function watchParent() {
  const parentsAtStart = parents()
  let stop = () => process.kill(process.pid, 'SIGTERM')

  if (process.env.npm_lifecycle_event) {
    const timer = setInterval(() => {
      if (parents() === parentsAtStart) return
      clearInterval(timer)
      stop()
    }, 500)
    timer.unref()
  }

  return {
    /** Replaces what happens when npm has gone; this process is sent SIGTERM otherwise. */
    onGone(action) {
      stop = action
    },
  }
}

// Between npm and us there is a shell, which outlives an npm that is killed outright.
function parents() {
  try {
    const status = readFileSync(`/proc/${process.ppid}/status`, 'utf8')
    return `${process.ppid} ${/^PPid:\s*(\d+)/m.exec(status)[1]}`
  } catch {
    return String(process.ppid) // no /proc on this system
  }
}
