import { setPriority } from 'node:os'
import { cpuMsOf, isRenderer, processTree, threadNameOf, threadsOf } from './process-tree.ts'

export interface CpuWatchdogOptions {
  pid: number
  /** CPU time is checked only while pages are open. */
  isInUse(): boolean
}

const checkIntervalMs = 250

/**
 * The niceness of a renderer by the CPU time that it has used, which most pages never reach. A page
 * that is only large still has to end in time: it keeps a tenth of what others get. Workers, of which
 * a page starts as many as it likes, do not: a hundred of them weigh less than two other threads.
 */
const levels = [
  { cpuMs: 1_000, niceness: 10, workerNiceness: 19 },
  { cpuMs: 400, niceness: 5, workerNiceness: 19 },
] as const

type Level = (typeof levels)[number]

/**
 * Lowers the scheduling priority (nice) of renderers that use much CPU time: all pages share the
 * browser's own processes, which would wait for them. Where there is no `/proc`, nothing happens.
 * Only root could raise a priority again, so it stays low until the page ends.
 */
export function watchCpu({ pid, isInUse }: CpuWatchdogOptions): Disposable {
  let known = new Map<number, LoweredRenderer>()
  const timer = setInterval(() => {
    if (isInUse()) check()
  }, checkIntervalMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }

  function check(): void {
    const lowered = processTree(pid).flatMap(({ pid: member }) => {
      const level = levelOf(member)
      return level ? [[member, lower(member, level, known.get(member))] as const] : []
    })
    known = new Map(lowered)
  }
}

interface LoweredRenderer {
  level: Level
  /** Those that have their own names by now. */
  threads: ReadonlySet<number>
}

function levelOf(pid: number): Level | undefined {
  const usedMs = cpuMsOf(pid)
  const level = levels.find(({ cpuMs }) => usedMs > cpuMs)
  return level && isRenderer(pid) ? level : undefined
}

/**
 * Sets threads once for each level: a new one inherits from its creator. It also has the name of the
 * process at first, and does not yet show whether it is a worker.
 */
function lower(pid: number, level: Level, before: LoweredRenderer | undefined): LoweredRenderer {
  const done = before?.level === level ? before.threads : new Set<number>()
  const processName = threadNameOf(pid, pid)
  const threads = threadsOf(pid).filter((thread) => {
    if (done.has(thread)) return true
    const name = threadNameOf(pid, thread)
    setNiceness(thread, isWorker(name) ? level.workerNiceness : level.niceness)
    return name !== processName
  })
  return { level, threads: new Set(threads) }
}

const isWorker = (threadName: string): boolean => /^(?:Dedicated|Shared)Worker/.test(threadName)

function setNiceness(thread: number, niceness: number): void {
  try {
    setPriority(thread, niceness)
  } catch {
    // The thread has ended, or has a lower priority already.
  }
}
