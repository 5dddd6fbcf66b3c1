import { readSystemFile } from '../../../runtime/machine/read-system-file.ts'
import {
  cpuMsOf,
  isGpuProcess,
  killMember,
  processTree,
  threadNameOf,
  threadsOf,
} from './process-tree.ts'

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
