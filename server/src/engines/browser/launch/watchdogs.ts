import { setPriority } from 'node:os'
import { readSystemFile } from '../../../runtime/machine/read-system-file.ts'
import {
  cpuMsOf,
  isGpuProcess,
  isRenderer,
  killMember,
  processTree,
  threadNameOf,
  threadsOf,
} from './process-tree.ts'

export interface CpuWatchdogOptions {
  pid: number
  /** CPU time is checked only while pages are open. */
  isInUse(): boolean
}

const cpuCheckIntervalMs = 250

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
  }, cpuCheckIntervalMs).unref()
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

export interface GpuWatchdogOptions {
  pid: number
  /** How long one command may take, in CPU time and by the clock. */
  commandMsMax: number
  /** Called when Chromium has given up WebGL, after so many ends of the GPU process. */
  onWebGlLost(): void
}

const checkIntervalMs = 500
/** Chromium starts the GPU process again, but from the third time on without WebGL. */
const killsMax = 3

/**
 * Kills a GPU process that is stuck in one command, such as an endless shader: it would go on when its
 * page has ended, and screenshots and WebGL of all other pages would wait for it. Chromium has such a
 * watchdog too, but not where the GPU is emulated. Where there is no `/proc`, nothing happens.
 */
export function watchGpu({ pid, commandMsMax, onWebGlLost }: GpuWatchdogOptions): Disposable {
  let since: GpuProgress | undefined
  let kills = 0
  const timer = setInterval(check, checkIntervalMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }

  function check(): void {
    const now = (since && progressOf(since.pid)) ?? findGpuProcess(pid)
    if (!now || !since || !isAtSameCommand(since, now)) {
      since = now
      return
    }
    if (Math.min(now.atMs - since.atMs, now.cpuMs - since.cpuMs) < commandMsMax) return
    killMember(now.pid)
    since = undefined
    kills += 1
    if (kills === killsMax) onWebGlLost()
  }
}

interface GpuProgress {
  pid: number
  /** How often its main thread, which carries out the commands, has begun to wait for anything. */
  waits: string
  /** Of the main thread and of those that emulate the GPU; others draw what pages show. */
  cpuMs: number
  /** By `performance.now()`. */
  atMs: number
}

const isAtSameCommand = (before: GpuProgress, now: GpuProgress): boolean =>
  before.pid === now.pid && before.waits === now.waits

function findGpuProcess(browserPid: number): GpuProgress | undefined {
  const found = processTree(browserPid).find(({ pid }) => isGpuProcess(pid))
  return found && progressOf(found.pid)
}

/** Undefined once the process has ended. */
function progressOf(pid: number): GpuProgress | undefined {
  const [, waits] =
    /^voluntary_ctxt_switches:\s*(\d+)$/m.exec(readSystemFile(`/proc/${pid}/task/${pid}/status`)) ??
    []
  if (waits === undefined || !isGpuProcess(pid)) return undefined
  const emulating = threadsOf(pid).filter(
    (thread) => thread === pid || threadNameOf(pid, thread).startsWith('Thread<'),
  )
  const cpuMs = emulating.reduce((sum, thread) => sum + cpuMsOf(pid, thread), 0)
  return { pid, waits, cpuMs, atMs: performance.now() }
}

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
