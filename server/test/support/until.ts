import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

const pollIntervalMs = 25

// So that a test fails instead of hanging; a busy machine is not expected to be quick. Less than the
// minute that a task has by default: what is over in time is not over because a task gave up.
const patienceMs = 45_000

/** Asks again and again until it is so. */
export async function until(
  condition: () => Promise<boolean> | boolean,
  { withinMs = patienceMs }: { withinMs?: number } = {},
): Promise<void> {
  const deadlineMs = performance.now() + withinMs
  while (!(await condition())) {
    assert.ok(performance.now() < deadlineMs, `It did not happen within ${withinMs} ms.`)
    await pause(pollIntervalMs)
  }
}
