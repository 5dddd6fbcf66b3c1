import { totalmem } from 'node:os'
import { type ELDHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'

interface ProcessStrain {
  eventLoopDelayMs: number
  residentBytes: number
  heapShare: number
}

export interface StrainGauge extends Disposable {
  read(): ProcessStrain
}

const resolutionMs = 20
const turnedEveryMs = 5_000
// Starting makes every process late.
const turnsBeforeJudging = 2

/**
 * Measures how late the event loop is. Of two histograms one has the last five to ten seconds, the other
 * what came after, and the kinder one is believed: one pause is no strain, and one that is over neither.
 * `@fastify/under-pressure` would refuse reads and health too, and judges by a single moment.
 */
export function startStrainGauge(): StrainGauge {
  let [older, newer] = [startHistogram(), startHistogram()]
  let turns = 0
  const timer = setInterval(() => {
    turns += 1
    older.reset()
    ;[older, newer] = [newer, older]
  }, turnedEveryMs).unref()

  return {
    read: () => ({
      eventLoopDelayMs: turns < turnsBeforeJudging ? 0 : delayMs(older, newer),
      residentBytes: process.memoryUsage.rss(),
      heapShare: heapShare(),
    }),
    [Symbol.dispose]() {
      clearInterval(timer)
      older.disable()
      newer.disable()
    },
  }
}

function startHistogram(): ELDHistogram {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  return histogram
}

function delayMs(older: ELDHistogram, newer: ELDHistogram): number {
  const percentiles = [older, newer]
    .filter(({ count }) => count > 0)
    .map((one) => one.percentile(99))
  // What is recorded is the whole time between two looks.
  return percentiles.length === 0 ? 0 : Math.max(0, Math.min(...percentiles) / 1e6 - resolutionMs)
}

function heapShare(): number {
  const { used_heap_size, heap_size_limit } = getHeapStatistics()
  return used_heap_size / heap_size_limit
}

/** What the machine has, or what a container is given of it. */
export function memoryBytes(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}
