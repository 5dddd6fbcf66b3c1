import { readFileSync } from 'node:fs'

/**
 * A signal to npm alone ends npm and leaves its script running as an orphan. So a script started by npm
 * polls its parent processes: if they changed, npm has exited and the script has to stop too.
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
    /** Replaces the default action, which is SIGTERM to this process. */
    onGone(action) {
      stop = action
    },
  }
}

// The parent is a shell that npm started. It outlives a killed npm, so its own parent counts too.
function parents() {
  try {
    const status = readFileSync(`/proc/${process.ppid}/status`, 'utf8')
    return `${process.ppid} ${/^PPid:\s*(\d+)/m.exec(status)[1]}`
  } catch {
    return String(process.ppid) // no /proc on this system
  }
}
