import { readdirSync } from 'node:fs'
import { readSystemFile } from '../../../runtime/machine/read-system-file.ts'

export interface TreeProcess {
  pid: number
  residentBytes: number
}

const processesMax = 1_000

/**
 * The processes of a browser and the memory of each; empty where there is no `/proc`. The reads are
 * synchronous: asynchronous ones cost several times the CPU time.
 */
export function processTree(pid: number): TreeProcess[] {
  const processes: TreeProcess[] = []
  // Any thread of the main process may have started children; the zygotes have one thread only.
  const queue = [pid, ...threadsOf(pid).flatMap((thread) => childrenOf(pid, thread))]
  for (const current of queue) {
    const [, residentKib] =
      /^VmRSS:\s*(\d+) kB$/m.exec(readSystemFile(`/proc/${current}/status`)) ?? []
    // A zombie, which has exited and is not yet reaped, has no VmRSS line.
    if (residentKib) processes.push({ pid: current, residentBytes: Number(residentKib) * 1_024 })
    if (current !== pid) queue.push(...childrenOf(current, current))
    if (processes.length === processesMax) break
  }
  return processes
}

export const isRenderer = (pid: number): boolean => isOfType(pid, 'renderer')

export const isGpuProcess = (pid: number): boolean => isOfType(pid, 'gpu-process')

const isOfType = (pid: number, type: string): boolean =>
  readSystemFile(`/proc/${pid}/cmdline`).includes(`--type=${type}`)

export function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number)
  } catch {
    return []
  }
}

const childrenOf = (pid: number, thread: number): number[] =>
  readSystemFile(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number)

export const threadNameOf = (pid: number, thread: number): string =>
  readSystemFile(`/proc/${pid}/task/${thread}/comm`)

/** The clock of `/proc` has 100 ticks a second on every platform that Node runs on. */
const msPerTick = 10

/** The CPU time that a process, or one of its threads, has used so far. */
export function cpuMsOf(pid: number, thread?: number): number {
  const of = thread === undefined ? pid : `${pid}/task/${thread}`
  const stat = readSystemFile(`/proc/${of}/stat`)
  // The process name stands in brackets and may itself contain brackets and spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * msPerTick
}

export function killMember(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has exited already.
  }
}
