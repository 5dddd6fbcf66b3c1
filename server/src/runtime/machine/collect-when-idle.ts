import { performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { collectGarbage } from './collect-garbage.ts'

const checkIntervalMs = 5_000
const idleShare = 0.02
const grownBytesMin = 8 * 2 ** 20
/** Small work now and then is not stopped for it often. */
const intervalMsMin = 60_000

export interface ThreadActivity {
  /** The share of the last seconds in which the event loop worked. */
  utilization: number
  /** How much the heap has grown since the last collection. */
  grownBytes: number
  sinceCollectedMs: number
}

export const isCollectionDue = (thread: ThreadActivity): boolean =>
  thread.utilization < idleShare &&
  thread.grownBytes >= grownBytesMin &&
  thread.sinceCollectedMs >= intervalMsMin

/**
 * Collects garbage in this thread, so that the memory of a burst of work is given back. V8 collects only
 * where something is allocated, so an idle thread would keep what it once took: 40 MB after the start, 100
 * and more after a burst.
 */
export function collectWhenIdle(): void {
  let since = performance.eventLoopUtilization()
  let collectedAtMs = Number.NEGATIVE_INFINITY
  let collectedBytes = 0
  const check = () => {
    const activity = {
      utilization: performance.eventLoopUtilization(since).utilization,
      grownBytes: getHeapStatistics().total_heap_size - collectedBytes,
      sinceCollectedMs: performance.now() - collectedAtMs,
    }
    if (isCollectionDue(activity)) {
      collectGarbage('last-resort')
      collectedAtMs = performance.now()
      collectedBytes = getHeapStatistics().total_heap_size
    }
    since = performance.eventLoopUtilization()
  }
  setInterval(check, checkIntervalMs).unref()
}
