/** Asks again until the answer is not a failure; the test's own timeout is the limit. */
export async function untilAnswered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await ask()
    } catch {
      // Not yet. A turn of the event loop lets everyone else go on.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}
