import { Failure } from '../failure.ts'
import type { DiskFreeMin } from './disk-space.ts'

/** The load of a process and its store at one moment; backpressure on new work is decided by it. */
export interface LoadSample {
  /** The delay of the event loop, 99th percentile of the last seconds. */
  eventLoopDelayMs: number
  /** The utilisation of the event loop, 0 to 1. */
  eventLoopShare: number
  residentBytes: number
  /** The used share of the heap limit, 0 to 1. */
  heapShare: number
  /** The process can open one more file or socket. */
  hasFreeDescriptor: boolean
  /** How long the oldest call has been waiting for the store. */
  storeWaitMs: number
  isStoreAnswering: boolean
  /** Less of the volume is free than the minimum. */
  isDiskLow: boolean
}

export interface AdmissionLimits {
  diskFreeMin: DiskFreeMin
  residentBytesMax: number
  queueMax: number
  accountQueueMax: number
}

/** New work was rejected. The caller gets it and a metric counts it; it is not logged each time. */
export class AdmissionRejected extends Failure {}

const eventLoopDelayMsMax = 200
// Below this, a late event loop lacks CPU time because of other processes; rejecting does not help.
const eventLoopShareMax = 0.8
const heapShareMax = 0.9
// Disks stall for a second now and then; letting the caller wait is better than rejecting.
const storeWaitMsMax = 2_000

// `Retry-After`: an overload passes in seconds, a full queue takes longer.
const overloadedRetrySeconds = 5
const queueFullRetrySeconds = 10
const storeFullRetrySeconds = 30

export interface AdmissionPolicy {
  /** Why this load rejects new work; undefined when it is accepted. */
  checkLoad(load: LoadSample): AdmissionRejected | undefined
  /** The same for the queue depth, in total and of the caller's account. */
  checkDepth(depth: { inAll: number; ofAccount: number }): AdmissionRejected | undefined
  /** For an account whose results fill its storage and all still have to be delivered. */
  readonly accountStorageFull: AdmissionRejected
}

/**
 * Load shedding: rejects new work, while accepted work goes on. Each rejection is created once, because
 * creating an error takes longer than sending it, and rejecting must be cheap under overload.
 */
export function createAdmissionPolicy(limits: AdmissionLimits): AdmissionPolicy {
  const { residentBytesMax, queueMax, accountQueueMax } = limits
  const storeSilent = unavailable('STORE_UNAVAILABLE', 'The store does not answer.')
  const storeSlow = unavailable('STORE_UNAVAILABLE', 'The store is too slow at the moment.')
  const tooBusy = unavailable('OVERLOADED', 'The service is overloaded.')
  const tooLarge = unavailable('OVERLOADED', 'The service has no memory for more work.')
  const noDescriptor = unavailable(
    'OVERLOADED',
    'The service has no file descriptor left for more work; its operator can raise `ulimit -n`.',
  )
  const queueFull = full('The queue is full.')
  const diskLow = storeFull('The disk is nearly full; reading still works.')
  const accountFull = full(`This account has ${accountQueueMax} waiting, which is its limit.`)

  return {
    checkLoad(load) {
      if (!load.isStoreAnswering) return storeSilent
      if (load.isDiskLow) return diskLow
      if (load.storeWaitMs > storeWaitMsMax) return storeSlow
      const isBusy = load.eventLoopShare > eventLoopShareMax
      if (isBusy && load.eventLoopDelayMs > eventLoopDelayMsMax) return tooBusy
      const isLarge = load.residentBytes > residentBytesMax || load.heapShare > heapShareMax
      if (isLarge) return tooLarge
      return load.hasFreeDescriptor ? undefined : noDescriptor
    },
    checkDepth({ inAll, ofAccount }) {
      if (ofAccount >= accountQueueMax) return accountFull
      return inAll >= queueMax ? queueFull : undefined
    },
    accountStorageFull: storeFull('This account has used up its storage until deliveries end.'),
  }
}

const unavailable = (
  code: 'STORE_UNAVAILABLE' | 'OVERLOADED',
  message: string,
): AdmissionRejected =>
  new AdmissionRejected(code, `${message} Retry in a moment.`, {
    retryAfterSeconds: overloadedRetrySeconds,
  })

const storeFull = (message: string): AdmissionRejected =>
  new AdmissionRejected('STORE_FULL', `${message} Retry later.`, {
    retryAfterSeconds: storeFullRetrySeconds,
  })

const full = (message: string): AdmissionRejected =>
  new AdmissionRejected('QUEUE_FULL', `${message} Retry later.`, {
    retryAfterSeconds: queueFullRetrySeconds,
  })
