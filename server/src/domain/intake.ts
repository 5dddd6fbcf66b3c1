import { Failure } from './failure.ts'

/** How hard a process and its store find it to go on, at one moment. */
export interface Strain {
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
}

export interface IntakeLimits {
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

/** Why no new work is taken, or undefined when it is. Whatever was accepted goes on. */
export function refusalUnder(
  strain: Strain,
  { residentBytesMax }: IntakeLimits,
): NotTaken | undefined {
  if (!strain.isStoreAnswering) {
    return unavailable('STORE_UNAVAILABLE', 'The store does not answer.')
  }
  if (strain.storeWaitMs > storeWaitMsMax) {
    return unavailable('STORE_UNAVAILABLE', 'The store is too slow at the moment.')
  }
  const isBusy = strain.eventLoopShare > eventLoopShareMax
  if (isBusy && strain.eventLoopDelayMs > eventLoopDelayMsMax) {
    return unavailable('OVERLOADED', 'The service has more to do than it can.')
  }
  if (strain.residentBytes > residentBytesMax || strain.heapShare > heapShareMax) {
    return unavailable('OVERLOADED', 'The service has no memory left for more work.')
  }
  return undefined
}

/** The same by what is waiting or being done already, in all and of the caller's account. */
export function refusalAt(
  depth: { inAll: number; ofAccount: number },
  { queueMax, accountQueueMax }: IntakeLimits,
): NotTaken | undefined {
  if (depth.ofAccount >= accountQueueMax) {
    return full(`This account has ${accountQueueMax} waiting, which is all it may have.`)
  }
  return depth.inAll >= queueMax ? full('The queue is full.') : undefined
}

const unavailable = (code: 'STORE_UNAVAILABLE' | 'OVERLOADED', message: string): NotTaken =>
  new NotTaken(code, `${message} Ask again in a moment.`, { retryAfterSeconds: breathlessSeconds })

const full = (message: string): NotTaken =>
  new NotTaken('QUEUE_FULL', `${message} Ask again later.`, { retryAfterSeconds: queueFullSeconds })
