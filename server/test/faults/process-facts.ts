/** What Linux tells about a process from outside. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** Resident memory in MiB, now and at its highest since `forgetPeak`. */
export const residentMib = (pid: number): number => statusField(pid, 'VmRSS') / 1024
export const peakMib = (pid: number): number => statusField(pid, 'VmHWM') / 1024

export const threadCount = (pid: number): number => statusField(pid, 'Threads')

export const openFileCount = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

export function forgetPeak(pid: number): void {
  // The kernel's word for "the peak begins now".
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** Of all processes that it has started, together. */
export function childrenMib(pid: number): number {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readIfThere(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean),
  )
  return children.reduce((sum, child) => sum + residentMib(Number(child)), 0)
}

/** 0 for a process that is gone. */
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
