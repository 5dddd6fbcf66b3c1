import type { TestContext } from 'node:test'

/**
 * Watches how long this thread works without a turn for others on its event loop. It is measured in CPU
 * time of the thread, which does not grow when the machine is busy with something else.
 */
export function watchTurns(t: Pick<TestContext, 'after'>): { longestMs(): number } {
  let longestMs = 0
  let before = cpuMs()
  const timer = setInterval(() => {
    const now = cpuMs()
    longestMs = Math.max(longestMs, now - before)
    before = now
  }, 1)
  t.after(() => clearInterval(timer))
  return { longestMs: () => longestMs }
}

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
