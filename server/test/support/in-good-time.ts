import { Failure } from '../../src/domain/failure.ts'

const timeoutMsMax = 60_000

/** For short timeouts: on a busy machine the page may not even open within one, and gets twice the time. */
export async function inGoodTime<Visited>(
  timeoutMs: number,
  visit: (timeoutMs: number) => Promise<Visited>,
): Promise<Visited> {
  try {
    return await visit(timeoutMs)
  } catch (error) {
    const isLate = error instanceof Failure && error.code === 'TARGET_TIMEOUT'
    if (!isLate || timeoutMs > timeoutMsMax) throw error
    return await inGoodTime(2 * timeoutMs, visit)
  }
}
