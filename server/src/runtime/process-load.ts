import { totalmem } from 'node:os'
import {
  type ELDHistogram,
  type EventLoopUtilization,
  monitorEventLoopDelay,
  performance,
} from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'

interface ProcessLoad {
  eventLoopDelayMs: number
  eventLoopShare: number
  residentBytes: number
  heapShare: number
}

export interface LoadSampler extends Disposable {
  read(): ProcessLoad
}

const resolutionMs = 20
const turnedEveryMs = 5_000
// Starting makes every process late.
const turnsBeforeJudging = 2

/**
 * Measures how late the event loop is and how busy. Of two windows one has the last five to ten seconds,
 * the other what came after, and the kinder one is believed: one pause is no overload, nor is one that is
 * over. `@fastify/under-pressure` would refuse reads and health too, and judges by a single moment.
 */
export function startLoadSampler(): LoadSampler {
  let [older, newer] = [new Window(), new Window()]
  let turns = 0
  const timer = setInterval(() => {
    turns += 1
    older.restart()
    ;[older, newer] = [newer, older]
  }, turnedEveryMs).unref()

  return {
    read: () => ({
      eventLoopDelayMs: turns < turnsBeforeJudging ? 0 : Math.min(older.delayMs, newer.delayMs),
      eventLoopShare: Math.min(older.share, newer.share),
      residentBytes: process.memoryUsage.rss(),
      heapShare: heapShare(),
    }),
    [Symbol.dispose]() {
      clearInterval(timer)
      older.end()
      newer.end()
    },
  }
}

/** The event loop since a moment. */
class Window {
  readonly #delays: ELDHistogram = monitorEventLoopDelay({ resolution: resolutionMs })
  #since: EventLoopUtilization = performance.eventLoopUtilization()

  constructor() {
    this.#delays.enable()
  }

  /** The 99th percentile; what is recorded is the whole time between two looks. */
  get delayMs(): number {
    if (this.#delays.count === 0) return Number.POSITIVE_INFINITY
    return Math.max(0, this.#delays.percentile(99) / 1e6 - resolutionMs)
  }

  get share(): number {
    return performance.eventLoopUtilization(this.#since).utilization
  }

  restart(): void {
    this.#delays.reset()
    this.#since = performance.eventLoopUtilization()
  }

  end(): void {
    this.#delays.disable()
  }
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
