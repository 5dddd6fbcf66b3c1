import { isRenderer, killMember, processTree } from './process-tree.ts'

export interface MemoryLimits {
  /** For one page. A page that takes more than this has a leak, or is an attack. */
  rendererBytesMax: number
  /** For each other process: pages can make the browser itself hold data, as in IndexedDB. */
  otherProcessBytesMax: number
  /** For the whole process tree: above it, the browser is retired. */
  treeBytesMax: number
  /** Above it, the browser is killed even while pages are open. */
  treeBytesHardMax: number
}

export interface MemoryWatchdogOptions {
  pid: number
  limits: MemoryLimits
  /** Memory is checked only while pages are open. */
  isInUse(): boolean
  onTreeMax(): void
  onTreeHardMax(): void
}

const checkIntervalMs = 500

/**
 * Kills renderers that use too much memory: their pages fail, all others go on. The kernel's OOM
 * killer would act later, and might choose another process.
 */
export function watchMemory(options: MemoryWatchdogOptions): Disposable {
  const { pid, limits, isInUse, onTreeMax, onTreeHardMax } = options
  const leastBytesMax = Math.min(limits.rendererBytesMax, limits.otherProcessBytesMax)
  const timer = setInterval(() => {
    if (isInUse()) check()
  }, checkIntervalMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }

  function check(): void {
    const tree = processTree(pid)
    for (const { pid: member, residentBytes } of tree) {
      if (residentBytes < leastBytesMax) continue
      const bytesMax = isRenderer(member) ? limits.rendererBytesMax : limits.otherProcessBytesMax
      if (residentBytes > bytesMax) killMember(member)
    }
    const allBytes = tree.reduce((sum, { residentBytes }) => sum + residentBytes, 0)
    if (allBytes > limits.treeBytesHardMax) onTreeHardMax()
    else if (allBytes > limits.treeBytesMax) onTreeMax()
  }
}
