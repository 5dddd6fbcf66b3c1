import type { LivePage } from '../page/live-page.ts'
import { sleep } from './step.ts'

const pollIntervalMs = 50
// How long a page needs to show data that it has loaded.
const shownWithinMs = 100
// Some requests never end.
const dataMsMax = 5_000

/** Whether the page may still load more content after a scroll. */
export const mayGrow = (
  { sinceMs, dataQuietMs }: { sinceMs: number; dataQuietMs: number },
  pauseMs: number,
): boolean => sinceMs < pauseMs || (dataQuietMs < shownWithinMs && sinceMs < pauseMs + dataMsMax)

/** Waits after a scroll until `measure` grows. Returns the new value, or `before` otherwise. */
export async function waitForGrowth(
  page: LivePage,
  { before, pauseMs, measure }: { before: number; pauseMs: number; measure(): Promise<number> },
): Promise<number> {
  const startedAtMs = performance.now()
  for (;;) {
    const now = await measure()
    if (now > before) return now
    const sinceMs = performance.now() - startedAtMs
    if (!mayGrow({ sinceMs, dataQuietMs: page.log.dataQuietMs() }, pauseMs)) return before
    await sleep(page, pollIntervalMs)
  }
}
