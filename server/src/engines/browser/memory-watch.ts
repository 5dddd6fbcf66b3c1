import { totalmem } from 'node:os'
import { familyOf } from './process-family.ts'

export interface MemoryWatchOptions {
  pid: number
  /** Nobody's page can grow while there is none. */
  isInUse(): boolean
  /** All of it together has more than it should: time for another one. */
  onLarge(): void
}

const lookedAtEveryMs = 500
/** A page that takes more than this is no page but an attack, or a leak. */
const rendererBytesMax = 2 ** 30
const familyShareMax = 0.5

/**
 * Ends renderers that take too much: their pages fail, all others go on. The kernel would end whichever
 * process it liked, and later.
 */
export function watchMemory({ pid, isInUse, onLarge }: MemoryWatchOptions): Disposable {
  let isLooking = false
  const timer = setInterval(() => {
    if (isLooking || !isInUse()) return
    isLooking = true
    void look().finally(() => {
      isLooking = false
    })
  }, lookedAtEveryMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }

  async function look(): Promise<void> {
    const family = await familyOf(pid)
    for (const { pid: member, isRenderer, residentBytes } of family) {
      if (isRenderer && residentBytes > rendererBytesMax) end(member)
    }
    const allBytes = family.reduce((sum, { residentBytes }) => sum + residentBytes, 0)
    if (allBytes > familyShareMax * totalmem()) onLarge()
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}
