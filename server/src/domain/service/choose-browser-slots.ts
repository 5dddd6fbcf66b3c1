/** The facts that the number of open pages depends on, at one moment (adaptive concurrency limit). */
export interface SlotFacts {
  /** The current number, and the configured one to start with. */
  slots: number
  slotsSet: number
  coreCount: number
  /** The share of CPU time used in the last second, 0 to 1. */
  cpuBusyShare: number
  /** The share of memory that is free, 0 to 1. */
  memoryFreeShare: number
  /** Slots in use, and tasks that wait for one. */
  usedCount: number
  waitingCount: number
}

/** A page that waits for its site costs memory but no CPU time; more pages cost too much memory. */
const slotsPerSet = 4

// Between these thresholds the number stays (hysteresis); else every page would change it.
const cpuIdleBelow = 0.7
const cpuBusyAbove = 0.9
const memoryIdleAbove = 0.2
const memoryShortBelow = 0.1

/** Changes the number by one at most, because measurements follow a change only after a while. */
export function chooseBrowserSlots(facts: SlotFacts): number {
  const { slots, slotsSet, coreCount, cpuBusyShare, memoryFreeShare } = facts
  // With fewer pages than processors some processors would be idle.
  const slotsMin = Math.min(slotsSet, coreCount)
  if (memoryFreeShare < memoryShortBelow) return Math.max(slots - 1, 1)
  if (cpuBusyShare > cpuBusyAbove && slots > slotsMin) return slots - 1
  if (memoryFreeShare < memoryIdleAbove) return slots
  if (slots < slotsMin) return slots + 1
  const isWanted = facts.usedCount >= slots && facts.waitingCount > 0
  return isWanted && cpuBusyShare < cpuIdleBelow
    ? Math.min(slots + 1, slotsPerSet * slotsSet)
    : slots
}
