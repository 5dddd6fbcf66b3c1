import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

const askedEveryMs = 25

/** Asks again and again until it is so; fails when it is not so in time. */
export async function until(
  isSo: () => Promise<boolean> | boolean,
  { withinMs }: { withinMs: number },
): Promise<void> {
  const deadlineMs = performance.now() + withinMs
  while (!(await isSo())) {
    assert.ok(performance.now() < deadlineMs, `It did not happen within ${withinMs} ms.`)
    await pause(askedEveryMs)
  }
}
