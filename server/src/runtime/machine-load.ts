import { join } from 'node:path'
import { listCgroupShares, readText } from './cgroups.ts'

/** How busy the machine is, or the container where that is busier. */
export interface MachineLoad {
  /** Of the processors' time since the look before, 0 to 1. */
  cpuBusyShare: number
  /** Of the memory, what could still be had, 0 to 1. */
  memoryFreeShare: number
}

/** Gives a function to look with; it tells nothing where the system does not say. */
export function openLoadGauge({
  root = '/',
  nowMs = () => performance.now(),
} = {}): () => MachineLoad | undefined {
  const { cpus, memories } = listCgroupShares(root)
  const measure = () => ({
    atMs: nowMs(),
    machine: readTicks(readText(join(root, 'proc/stat'))),
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
      machineFreeShare(readText(join(root, 'proc/meminfo'))),
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

/** Time that the machine's host gave to others was not to be had either. */
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
