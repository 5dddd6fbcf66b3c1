import { readdirSync, readFileSync } from 'node:fs'

export interface TreeProcess {
  pid: number
  residentBytes: number
}

const membersMax = 1_000

/**
 * A browser's processes and what each of them has in memory; nothing where `/proc` does not tell. It
 * answers at once: waiting for each file costs several times the processor's time.
 */
export function processTree(pid: number): TreeProcess[] {
  const members: TreeProcess[] = []
  // A thread of its own starts some of them; the zygotes, which start the others, have one thread.
  const toAsk = [pid, ...threadsOf(pid).flatMap((thread) => childrenOf(pid, thread))]
  for (const asked of toAsk) {
    const [, residentKib] = /^VmRSS:\s*(\d+) kB$/m.exec(read(`${asked}/status`)) ?? []
    // A process that has ended and is not yet taken note of has no memory.
    if (residentKib) members.push({ pid: asked, residentBytes: Number(residentKib) * 1_024 })
    if (asked !== pid) toAsk.push(...childrenOf(asked, asked))
    if (members.length === membersMax) break
  }
  return members
}

export const isRenderer = (pid: number): boolean =>
  read(`${pid}/cmdline`).includes('--type=renderer')

function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number)
  } catch {
    return []
  }
}

const childrenOf = (pid: number, thread: number): number[] =>
  read(`${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number)

function read(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'latin1')
  } catch {
    return '' // it has ended
  }
}
