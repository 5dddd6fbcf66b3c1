/** The time left, to the second; parts that are zero at its end are left out. */
export function countdownText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  if (seconds <= 0) return 'now'
  const parts = [
    [Math.floor(seconds / 3_600), 'h'],
    [Math.floor((seconds % 3_600) / 60), 'min'],
    [seconds % 60, 's'],
  ] as const
  const shown = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`)
  return `in ${shown.join(' ')}`
}

/** A time as inputs for local dates want it, `2026-03-01T09:30`, in the zone of the reader. */
export function localMinute(atMs: number): string {
  const offsetMs = new Date(atMs).getTimezoneOffset() * 60_000
  return new Date(atMs - offsetMs).toISOString().slice(0, 16)
}

interface ShownDeliveries {
  hasPending: boolean
  /** When the newest of them was or will be tried, as far as that is known. */
  dueAtMs: number
  /** When the reader asked for something to be sent again; 0 if never. */
  resentAtMs: number
  /** Of a body that comes with each reading. */
  bodyLength?: number
}

const soonMs = 1_000
const laterMs = 10_000
/** Most deliveries arrive within it; what waits longer waits for a retry. */
const freshMs = 60_000
const largeBodyLength = 200_000

/**
 * When deliveries are read again, as they have no events of their own: often while one may arrive any
 * moment, seldom while one waits for a retry, and not at all when nothing more will happen.
 */
export function refetchPauseMs(shown: ShownDeliveries, nowMs: number): number | false {
  const isFresh = nowMs - shown.resentAtMs < freshMs
  if (!shown.hasPending && !isFresh) return false
  const sinceDueMs = nowMs - shown.dueAtMs
  const isDue = sinceDueMs > -laterMs && sinceDueMs < freshMs
  const isSoon = (isFresh || isDue) && (shown.bodyLength ?? 0) < largeBodyLength
  return isSoon ? soonMs : laterMs
}
