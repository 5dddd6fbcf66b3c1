import { totalmem } from 'node:os'
import {
  type ELDHistogram,
  type EventLoopUtilization,
  monitorEventLoopDelay,
  performance,
} from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'

const resolutionMs = 20
const rotationIntervalMs = 5_000
// The start of a process delays the event loop, so the first windows are ignored.
const rotationsIgnored = 2

/**
 * Measures the delay and utilisation of the event loop. The older window has the last five to ten seconds, the
 * newer one up to five; the lower value counts, because one pause, or one that is over, is no overload.
 * `@fastify/under-pressure` would refuse reads and health checks too, and decides by a single moment.
 */
export function startLoadSampler() {
  let [older, newer] = [new Window(), new Window()]
  let rotations = 0
  let residentBytes = process.memoryUsage.rss()
  const timer = setInterval(() => {
    rotations += 1
    older.restart()
    ;[older, newer] = [newer, older]
  }, rotationIntervalMs).unref()

  return {
    read: () => ({
      eventLoopDelayMs: rotations < rotationsIgnored ? 0 : Math.min(older.delayMs, newer.delayMs),
      eventLoopShare: Math.min(older.share, newer.share),
      ...readMemory(),
      heapShare: heapShare(),
    }),
    [Symbol.dispose](): void {
      clearInterval(timer)
      older.end()
      newer.end()
    },
  }

  /** Reading the resident memory takes a file descriptor; without one, the last figure counts. */
  function readMemory(): { residentBytes: number; hasFreeDescriptor: boolean } {
    try {
      residentBytes = process.memoryUsage.rss()
      return { residentBytes, hasFreeDescriptor: true }
    } catch {
      return { residentBytes, hasFreeDescriptor: false }
    }
  }
}

/** Measures the event loop from its start or restart. */
class Window {
  readonly #delays: ELDHistogram = monitorEventLoopDelay({ resolution: resolutionMs })
  #since: EventLoopUtilization = performance.eventLoopUtilization()

  constructor() {
    this.#delays.enable()
  }

  /** The 99th percentile, minus the sampling interval, which Node's histogram includes. */
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

/** The memory of the machine, or the limit of its container. */
export function memoryBytes(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}
