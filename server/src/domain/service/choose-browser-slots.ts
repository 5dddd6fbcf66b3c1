/** What the number of pages that are open at once depends on, at one moment. */
export interface SlotFacts {
  /** Now, and as set: where it begins. */
  slots: number
  slotsSet: number
  coreCount: number
  /** Of the processors' time, what was used in the last second, 0 to 1. */
  cpuBusyShare: number
  /** Of the memory, what is left, 0 to 1. */
  memoryFreeShare: number
  /** Slots taken, and tasks for which there was none. */
  usedCount: number
  waitingCount: number
}

/** A page that waits for its site costs memory but no time; beyond this it is not worth the memory. */
const slotsPerSet = 4

// What lies between is left as it is, lest every page that begins or ends changes the number.
const cpuIdleBelow = 0.7
const cpuBusyAbove = 0.9
const memoryIdleAbove = 0.2
const memoryShortBelow = 0.1

/** One more, one fewer, or as it is: what is measured follows a change only after a while. */
export function chooseBrowserSlots(facts: SlotFacts): number {
  const { slots, slotsSet, coreCount, cpuBusyShare, memoryFreeShare } = facts
  // With fewer pages than processors some of these would have nothing to do.
  const kept = Math.min(slotsSet, coreCount)
  if (memoryFreeShare < memoryShortBelow) return Math.max(slots - 1, 1)
  if (cpuBusyShare > cpuBusyAbove && slots > kept) return slots - 1
  if (memoryFreeShare < memoryIdleAbove) return slots
  if (slots < kept) return slots + 1
  const isWanted = facts.usedCount >= slots && facts.waitingCount > 0
  return isWanted && cpuBusyShare < cpuIdleBelow
    ? Math.min(slots + 1, slotsPerSet * slotsSet)
    : slots
}
