import { readFileSync } from 'node:fs'

/** `utime` and `stime` in `/proc/<pid>/stat` count ticks of this length. */
const tickMs = 10

/** The processor time of a process and its living descendants. */
export function cpuMsOf(pid: number): number {
  const { stat, children } = readProcess(pid)
  // The name in parentheses may have spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ownMs = (Number(fields[11]) + Number(fields[12])) * tickMs
  return children.reduce((sum, child) => sum + cpuMsOf(child), ownMs)
}

function readProcess(pid: number): { stat: string; children: number[] } {
  try {
    const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    const children = listed.split(' ').filter((child) => child.trim() !== '')
    return { stat: readFileSync(`/proc/${pid}/stat`, 'utf8'), children: children.map(Number) }
  } catch {
    return { stat: ') 0 0 0 0 0 0 0 0 0 0 0 0 0', children: [] } // it has ended
  }
}
