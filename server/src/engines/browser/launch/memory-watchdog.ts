import { isRenderer, processTree } from './process-tree.ts'

export interface MemoryLimits {
  /** A page that takes more than this is no page but an attack, or a leak. */
  rendererBytesMax: number
  /** What a page can make the browser itself keep, as in a database or in a pipe. */
  otherProcessBytesMax: number
  /** All of it together: time for another browser. */
  familyBytesMax: number
  /** Where it grows on all the same: the end of this one, whoever uses it. */
  familyBytesEnd: number
}

export interface MemoryWatchdogOptions {
  pid: number
  limits: MemoryLimits
  /** Nobody's page can grow while there is none. */
  isInUse(): boolean
  /** All of it together has more than it should. */
  onLarge(): void
  /** More than the machine can stand. */
  onHuge(): void
}

const lookedAtEveryMs = 500

/**
 * Ends renderers that take too much: their pages fail, all others go on. The kernel would end whichever
 * process it liked, and later.
 */
export function watchMemory(options: MemoryWatchdogOptions): Disposable {
  const { pid, limits, isInUse, onLarge, onHuge } = options
  const leastBytesMax = Math.min(limits.rendererBytesMax, limits.otherProcessBytesMax)
  const timer = setInterval(() => {
    if (isInUse()) look()
  }, lookedAtEveryMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }

  function look(): void {
    const family = processTree(pid)
    for (const { pid: member, residentBytes } of family) {
      if (residentBytes < leastBytesMax) continue
      const bytesMax = isRenderer(member) ? limits.rendererBytesMax : limits.otherProcessBytesMax
      if (residentBytes > bytesMax) end(member)
    }
    const allBytes = family.reduce((sum, { residentBytes }) => sum + residentBytes, 0)
    if (allBytes > limits.familyBytesEnd) onHuge()
    else if (allBytes > limits.familyBytesMax) onLarge()
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}
