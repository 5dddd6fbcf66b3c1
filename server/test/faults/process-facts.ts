/** Reads what Linux reports about a process in /proc. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** Resident memory in MiB, now and at its peak since `forgetPeak`. */
export const residentMib = (pid: number): number => statusField(pid, 'VmRSS') / 1024
export const peakMib = (pid: number): number => statusField(pid, 'VmHWM') / 1024

export const threadCount = (pid: number): number => statusField(pid, 'Threads')

export const openFileCount = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

export function forgetPeak(pid: number): void {
  // Writing 5 resets the peak.
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** The memory of all its child processes together. */
export function childrenMib(pid: number): number {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readIfThere(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean),
  )
  return children.reduce((sum, child) => sum + residentMib(Number(child)), 0)
}

/** Returns 0 for a process that has ended. */
function statusField(pid: number, name: string): number {
  const match = new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(readIfThere(`/proc/${pid}/status`))
  return Number(match?.[1] ?? 0)
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
