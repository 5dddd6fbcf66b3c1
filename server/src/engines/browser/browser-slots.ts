import { chooseBrowserSlots, type SlotFacts } from '../../domain/service/choose-browser-slots.ts'
import { openLoadGauge } from '../../runtime/machine-load.ts'

/** How many pages this process has open at once, and how many it may. */
export interface BrowserSlots {
  max(): number
  readonly usedCount: number
  /** Takes a slot for as long as the work lasts. */
  occupy<Value>(work: () => Promise<Value>): Promise<Value>
}

export interface BrowserSlotsOptions extends Pick<SlotFacts, 'slotsSet' | 'coreCount'> {
  waitingCount(): number
  /** There are more than before. */
  onMore(): void
  openGauge?: typeof openLoadGauge
  judgedEveryMs?: number
}

/**
 * Begins with as many as were set, and again whenever nothing is left to do. In between the machine
 * is looked at once a second; where it does not say how busy it is, the number stays.
 */
export function createBrowserSlots(options: BrowserSlotsOptions): BrowserSlots {
  const { slotsSet, openGauge = openLoadGauge, judgedEveryMs = 1_000 } = options
  let slots = slotsSet
  let usedCount = 0
  let timer: NodeJS.Timeout | undefined

  return {
    max: () => slots,
    get usedCount() {
      return usedCount
    },
    async occupy(work) {
      if (usedCount === 0) watch()
      usedCount += 1
      try {
        return await work()
      } finally {
        usedCount -= 1
        if (usedCount === 0) rest()
      }
    },
  }

  function watch(): void {
    const read = openGauge()
    timer = setInterval(() => {
      const load = read()
      if (load) judge(load)
    }, judgedEveryMs).unref()
  }

  function rest(): void {
    clearInterval(timer)
    slots = slotsSet
  }

  function judge(load: Pick<SlotFacts, 'cpuBusyShare' | 'memoryFreeShare'>): void {
    const before = slots
    const waitingCount = options.waitingCount()
    slots = chooseBrowserSlots({ ...options, ...load, slots, usedCount, waitingCount })
    if (slots > before) options.onMore()
  }
}
