import { outboundError } from './outbound-error.ts'

/** Waits for what others may wait for too: giving up ends the wait, not the work. */
export function waitAtMost<Value>(
  work: Promise<Value>,
  { signal, deadlineMs }: { signal: AbortSignal; deadlineMs: number },
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const finish = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
    }
    const giveUp = () => {
      finish()
      reject(outboundError('aborted', signal.reason))
    }
    const timer = setTimeout(() => {
      finish()
      reject(outboundError('timeout'))
    }, deadlineMs)
    signal.addEventListener('abort', giveUp)
    work.finally(finish).then(resolve, reject)
    if (signal.aborted) giveUp()
  })
}
