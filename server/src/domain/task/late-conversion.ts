import { Failure } from '../failure.ts'

/** How the time was used until a caller's deadline, for a page that had arrived. */
interface TimeUsed {
  /** Until the page was there. */
  fetchMs: number
  /** For a content thread. */
  waitMs: number
  /** In a content thread. */
  convertMs: number
}

/**
 * Why a page that arrived was not converted before its caller's deadline. It names whoever used the most
 * of the time, so that neither the target nor the page is blamed for a busy service.
 */
export function lateConversion({ fetchMs, waitMs, convertMs }: TimeUsed): Failure {
  if (waitMs >= Math.max(fetchMs, convertMs)) return new Failure('OVERLOADED', serviceBusy)
  if (convertMs >= fetchMs) return new Failure('CONTENT_TOO_COMPLEX', pageSlow)
  return new Failure('TARGET_TIMEOUT', targetSlow)
}

const serviceBusy =
  'The response arrived in time, but the service was too busy to convert it. Retry in a moment.'
const pageSlow =
  'The response arrived in time, but converting it took longer than the time that was left. Raise the timeout.'
const targetSlow = 'The response arrived too late to be converted in time. Raise the timeout.'
