import { pause, startDeadline } from './call-deadline.ts'
import type { CallOptions } from './transport.ts'

export interface WaitOptions<Job> {
  /** Ends the waiting, not the job. */
  signal?: AbortSignal | undefined
  /** Milliseconds until it throws a `TimeoutError`; the job goes on. Default: an hour. */
  timeout?: number | undefined
  /** Milliseconds between two looks. By default it starts with 0.2 s and slows down to 5 s. */
  interval?: number | undefined
  /** Called with the job at each look, for a progress bar. */
  onProgress?: ((job: Job) => void) | undefined
}

const waitMsByDefault = 3_600_000
const pauseMsFirst = 200
const pauseMsMax = 5_000

/** Looks at a job until it is over; `look` passes its options on to the call. */
export async function waitForEnd<Job>(
  look: (options: CallOptions) => Promise<Job>,
  isOver: (job: Job) => boolean,
  { signal, timeout = waitMsByDefault, interval, onProgress }: WaitOptions<Job> = {},
): Promise<Job> {
  const deadline = startDeadline(timeout, signal)
  try {
    for (let pauseMs = interval ?? pauseMsFirst; ; ) {
      const job = await look({ signal: deadline.signal })
      onProgress?.(job)
      if (isOver(job)) return job
      await pause(pauseMs, deadline.signal)
      pauseMs = interval ?? Math.min(pauseMs * 1.5, pauseMsMax)
    }
  } catch (caught) {
    // What the caller's own function threw is the caller's.
    throw deadline.signal.aborted ? deadline.explain(caught) : caught
  } finally {
    deadline.clear()
  }
}
