import type { LivePage } from '../page/live-page.ts'
import { rest } from './step.ts'

const lookedEveryMs = 50
// From its data to the page.
const shownWithinMs = 100
// Some data never comes to an end.
const dataMsMax = 5_000

/** Whether what a scroll has asked for may still come. */
export const mayGrow = (
  { sinceMs, dataQuietMs }: { sinceMs: number; dataQuietMs: number },
  pauseMs: number,
): boolean => sinceMs < pauseMs || (dataQuietMs < shownWithinMs && sinceMs < pauseMs + dataMsMax)

/** Waits after a scroll until there is more than before; the new measure, or the old one if no more came. */
export async function untilGrown(
  page: LivePage,
  { before, pauseMs, measure }: { before: number; pauseMs: number; measure(): Promise<number> },
): Promise<number> {
  const startedAtMs = performance.now()
  for (;;) {
    const now = await measure()
    if (now > before) return now
    const sinceMs = performance.now() - startedAtMs
    if (!mayGrow({ sinceMs, dataQuietMs: page.log.dataQuietMs() }, pauseMs)) return before
    await rest(page, lookedEveryMs)
  }
}
