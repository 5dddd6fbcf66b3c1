/** Fault injection: named moments at which a test kills the process. They do nothing otherwise. */
export const crashPoints = [
  'before_accept_commit',
  'after_accept_commit',
  'after_claim',
  'after_fetch',
  'before_result_commit',
  'after_result_commit',
  'before_send',
  'after_receiver_answered',
  'after_delivery_commit',
  'during_retention',
] as const

/** Crash points of jobs, which single tasks do not reach. */
export const jobCrashPoints = ['before_job_commit', 'after_job_commit'] as const

/** Crash points of crawls alone. */
export const crawlCrashPoints = ['before_crawl_commit', 'after_crawl_commit'] as const

/** Crash points of the first start, which happens once for each store. */
export const firstStartCrashPoints = [
  'before_first_account_commit',
  'after_first_account_commit',
  'after_credentials_written',
  'after_credentials_shown',
] as const

export type CrashPoint = (
  | typeof crashPoints
  | typeof jobCrashPoints
  | typeof crawlCrashPoints
  | typeof firstStartCrashPoints
)[number]

let onCrashPoint: ((point: CrashPoint) => void) | undefined

export function crashPoint(point: CrashPoint): void {
  onCrashPoint?.(point)
}

export function watchCrashPoints(watch: (point: CrashPoint) => void): void {
  onCrashPoint = watch
}
