const shortestMs = 1_000
const longestMs = 10_000

/** A long outline is read less often: about half a millisecond of work a page, at most every tenth of the time. */
export const outlineIntervalMs = (pageCount: number): number =>
  Math.min(longestMs, Math.max(shortestMs, pageCount * 5))
