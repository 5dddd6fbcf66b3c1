import { join } from 'node:path'
import { listCgroupShares } from './cgroups.ts'
import { readSystemFile } from './read-system-file.ts'

/** The load of the machine, or of the container (cgroup) if that is higher. */
export interface MachineLoad {
  /** The share of CPU time used since the reading before, 0 to 1. */
  cpuBusyShare: number
  /** The share of memory that is available, 0 to 1. */
  memoryFreeShare: number
}

/** Returns a function that reads the load; undefined on systems without /proc. */
export function openLoadGauge({
  root = '/',
  nowMs = () => performance.now(),
} = {}): () => MachineLoad | undefined {
  const { cpus, memories } = listCgroupShares(root)
  const measure = () => ({
    atMs: nowMs(),
    machine: readTicks(readSystemFile(join(root, 'proc/stat'))),
    usedMs: cpus.map((cpu) => cpu.usedMs()),
  })
  let before = measure()

  return () => {
    const now = measure()
    const busyShares = [
      (now.machine.busy - before.machine.busy) / (now.machine.all - before.machine.all),
      ...cpus.map(({ coreCount }, index) => {
        const usedMs = (now.usedMs[index] ?? 0) - (before.usedMs[index] ?? 0)
        return usedMs / coreCount / (now.atMs - before.atMs)
      }),
    ]
    const freeShares = [
      machineFreeShare(readSystemFile(join(root, 'proc/meminfo'))),
      ...memories.map(({ bytesMax, usedBytes }) => (bytesMax - usedBytes()) / bytesMax),
    ]
    before = now
    const load = {
      cpuBusyShare: Math.min(Math.max(...busyShares), 1),
      memoryFreeShare: Math.max(Math.min(...freeShares), 0),
    }
    return Object.values(load).every(Number.isFinite) ? load : undefined
  }
}

/** Steal time counts as busy: the hypervisor gave it to other machines. */
function readTicks(stat: string): { busy: number; all: number } {
  const [, line = ''] = /^cpu +(.*)$/m.exec(stat) ?? []
  const [user, nice, system, idle, disk, ...interrupts] = line.split(' ').slice(0, 8).map(Number)
  const sum = (...ticks: (number | undefined)[]) =>
    ticks.reduce<number>((all, some) => all + (some ?? Number.NaN), 0)
  const busy = sum(user, nice, system, ...interrupts)
  return { busy, all: sum(busy, idle, disk) }
}

function machineFreeShare(meminfo: string): number {
  const read = (name: string) => Number(new RegExp(`^${name}: +(\\d+)`, 'm').exec(meminfo)?.[1])
  return read('MemAvailable') / read('MemTotal')
}
