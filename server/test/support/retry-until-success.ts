/** Retries without delay until the call succeeds; the test's own timeout is the limit. */
export async function retryUntilSuccess<Result>(call: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await call()
    } catch {
      // A turn of the event loop lets other work proceed before the next try.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}
