/**
 * How long to wait before the next retry: exponential backoff, doubled with every failure in a row up to a
 * maximum, with jitter. `random` is a random number between 0 and 1; without one there is no jitter.
 */
export const backoffMs = (
  failuresInARow: number,
  wait: { firstMs: number; msMax: number; random?: number; spread?: number },
): number =>
  jitterMs(Math.min(wait.firstMs * 2 ** (failuresInARow - 1), wait.msMax), wait.random, wait.spread)

/** Moves a pause by a fifth at most, so that many clients that failed together do not come back together. */
export const jitterMs = (ms: number, random = 0.5, spread = 0.2): number =>
  Math.round(ms * (1 - spread + 2 * spread * random))
