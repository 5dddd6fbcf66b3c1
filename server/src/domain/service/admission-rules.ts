import { Failure } from '../failure.ts'
import type { DiskFreeMin } from './disk-space.ts'

/** How loaded a process and its store are at one moment; backpressure on new work is decided by it. */
export interface LoadSample {
  /** How late the event loop comes to what is due, 99th percentile of the last seconds. */
  eventLoopDelayMs: number
  /** Of the time, what the event loop did not spend waiting, 0 to 1. */
  eventLoopShare: number
  residentBytes: number
  /** Of the heap that the runtime may have, 0 to 1. */
  heapShare: number
  /** For how long a call has been waiting for its turn at the store. */
  storeWaitMs: number
  isStoreAnswering: boolean
  /** Less of the volume is free than has to stay free. */
  isDiskLow: boolean
}

export interface IntakeLimits {
  diskFreeMin: DiskFreeMin
  residentBytesMax: number
  queueMax: number
  accountQueueMax: number
}

/** New work that is not taken now. Told to the caller and counted, but no line in the log each. */
export class NotTaken extends Failure {}

const eventLoopDelayMsMax = 200
// An event loop that is late and yet has time to wait was kept from its processor: refusing helps nobody.
const eventLoopShareMax = 0.8
const heapShareMax = 0.9
// Disks pause for a second now and then; then it is better to wait with the caller.
const storeWaitMsMax = 2_000

// What makes a process breathless passes in seconds; what fills a queue does not.
const breathlessSeconds = 5
const queueFullSeconds = 10
const storeFullSeconds = 30

export interface Refusals {
  /** Why no new work is taken under this load, or undefined when it is. */
  under(load: LoadSample): NotTaken | undefined
  /** The same by what is waiting or being done already, in all and of the caller's account. */
  at(depth: { inAll: number; ofAccount: number }): NotTaken | undefined
  /** For an account that keeps more results than it may, all of them waiting to be delivered. */
  readonly accountStorageFull: NotTaken
}

/**
 * Decides what is refused; whatever was accepted goes on. Each refusal is made once: making an error
 * takes longer than sending one, and refusing must cost little when there is much to refuse.
 */
export function createRefusals(limits: IntakeLimits): Refusals {
  const { residentBytesMax, queueMax, accountQueueMax } = limits
  const storeSilent = unavailable('STORE_UNAVAILABLE', 'The store does not answer.')
  const storeSlow = unavailable('STORE_UNAVAILABLE', 'The store is too slow at the moment.')
  const tooBusy = unavailable('OVERLOADED', 'The service has more to do than it can.')
  const tooLarge = unavailable('OVERLOADED', 'The service has no memory left for more work.')
  const queueFull = full('The queue is full.')
  const diskLow = storeFull('The disk is nearly full; reading goes on.')
  const accountFull = full(`This account has ${accountQueueMax} waiting, which is all it may have.`)

  return {
    under(load) {
      if (!load.isStoreAnswering) return storeSilent
      if (load.isDiskLow) return diskLow
      if (load.storeWaitMs > storeWaitMsMax) return storeSlow
      const isBusy = load.eventLoopShare > eventLoopShareMax
      if (isBusy && load.eventLoopDelayMs > eventLoopDelayMsMax) return tooBusy
      const isLarge = load.residentBytes > residentBytesMax || load.heapShare > heapShareMax
      return isLarge ? tooLarge : undefined
    },
    at({ inAll, ofAccount }) {
      if (ofAccount >= accountQueueMax) return accountFull
      return inAll >= queueMax ? queueFull : undefined
    },
    accountStorageFull: storeFull('This account keeps all it may until deliveries have ended.'),
  }
}

const unavailable = (code: 'STORE_UNAVAILABLE' | 'OVERLOADED', message: string): NotTaken =>
  new NotTaken(code, `${message} Ask again in a moment.`, { retryAfterSeconds: breathlessSeconds })

const storeFull = (message: string): NotTaken =>
  new NotTaken('STORE_FULL', `${message} Ask again later.`, { retryAfterSeconds: storeFullSeconds })

const full = (message: string): NotTaken =>
  new NotTaken('QUEUE_FULL', `${message} Ask again later.`, { retryAfterSeconds: queueFullSeconds })
