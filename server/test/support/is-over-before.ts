import { setTimeout as delay } from 'node:timers/promises'

/**
 * Whether it is over before a timer of this process is. Where a deadline of this process ends it, both
 * are late alike on a busy machine, and so a busy machine does not change the order.
 */
export async function isOverBefore(settled: Promise<unknown>, ms: number): Promise<boolean> {
  const over = settled.then(
    () => true,
    () => true,
  )
  return await Promise.race([over, delay(ms, false, { ref: false })])
}
