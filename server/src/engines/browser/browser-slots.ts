import { chooseBrowserSlots, type SlotFacts } from '../../domain/service/choose-browser-slots.ts'
import { openLoadGauge } from '../../runtime/machine/machine-load.ts'

export interface BrowserSlotsOptions extends Pick<SlotFacts, 'slotsSet' | 'coreCount'> {
  waitingCount(): number
  /** Called when the limit has grown. */
  onIncrease(): void
  openGauge?: typeof openLoadGauge
  adjustIntervalMs?: number
}

/**
 * An adaptive concurrency limit on the pages that this process has open.
 * The limit starts at the setting and returns to it when no page is open. While pages are open it
 * follows the load of the machine; where that cannot be read, it stays.
 */
export function createBrowserSlots(options: BrowserSlotsOptions) {
  const { slotsSet, openGauge = openLoadGauge, adjustIntervalMs: judgedEveryMs = 1_000 } = options
  let slots = slotsSet
  let usedCount = 0
  let timer: NodeJS.Timeout | undefined

  return {
    max: () => slots,
    get usedCount(): number {
      return usedCount
    },
    /** Counts a slot as used while the work runs. It never waits: callers check `max` first. */
    async occupy<Value>(work: () => Promise<Value>): Promise<Value> {
      if (usedCount === 0) startAdjusting()
      usedCount += 1
      try {
        return await work()
      } finally {
        usedCount -= 1
        if (usedCount === 0) reset()
      }
    },
  }

  function startAdjusting(): void {
    const readLoad = openGauge()
    timer = setInterval(() => {
      const load = readLoad()
      if (load) adjust(load)
    }, judgedEveryMs).unref()
  }

  function reset(): void {
    clearInterval(timer)
    slots = slotsSet
  }

  function adjust(load: Pick<SlotFacts, 'cpuBusyShare' | 'memoryFreeShare'>): void {
    const before = slots
    const waitingCount = options.waitingCount()
    slots = chooseBrowserSlots({ ...options, ...load, slots, usedCount, waitingCount })
    if (slots > before) options.onIncrease()
  }
}
