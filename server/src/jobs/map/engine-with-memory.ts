import type { HttpEngine } from '../../engines/http/http-engine.ts'
import type { MemoryBudget } from '../../runtime/sharing/memory-budget.ts'

/**
 * An engine for jobs that fetch several documents at once. Each large one reserves memory of its own, which
 * is free again once the signal of its order is aborted: that says that nobody reads the document any more.
 * So a document never waits for another one to be read.
 */
export const engineWithMemory = (engine: HttpEngine, memoryBudget: MemoryBudget): HttpEngine => ({
  async fetch(order) {
    const memory = memoryBudget.open(order.accountId)
    const release = () => memory[Symbol.dispose]()
    order.signal.addEventListener('abort', release, { once: true })
    try {
      return await engine.fetch({ ...order, memory })
    } catch (error) {
      release()
      throw error
    }
  },
})
