/** The result of work that yields after each small piece, without pauses between them. */
export function runAtOnce<Result>(steps: Iterator<unknown, Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
