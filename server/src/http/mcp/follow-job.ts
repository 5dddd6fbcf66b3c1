import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../../domain/failure.ts'

/** How far a job is. */
export interface JobHead {
  status: string
  isEnded: boolean
  total: number
  done: number
  facts: Record<string, unknown>
}

export interface JobAccess {
  read(): Promise<JobHead>
  cancel(): Promise<unknown>
  /** Undefined where the caller wants no progress. */
  report: ((head: JobHead) => Promise<void>) | undefined
  /** Whether waiting should end early, as while the service shuts down; the job goes on. */
  isStopping(): boolean
}

interface Patience {
  waitMs: number
  /** Aborted when the call is cancelled or its caller disconnects. */
  signal: AbortSignal
  /** Whether that cancels the job too. */
  cancelsJob: boolean
}

// A job changes with every page. A read costs a fraction of a millisecond.
const pollIntervalMs = 500

/** Waits for the end of a job, or for as long as the caller wants to wait, and reports its progress. */
export async function followJob(access: JobAccess, patience: Patience): Promise<JobHead> {
  const { signal, cancelsJob } = patience
  try {
    return await untilEnded(access, patience)
  } catch (error) {
    if (signal.aborted && cancelsJob) await cancelIfOpen(access)
    throw error
  }
}

async function untilEnded(access: JobAccess, { waitMs, signal }: Patience): Promise<JobHead> {
  const deadlineMs = performance.now() + waitMs
  let reported = -1
  for (;;) {
    signal.throwIfAborted()
    const head = await access.read()
    // The protocol wants every progress to be greater than the one before.
    if (head.done > reported) {
      reported = head.done
      await access.report?.(head)
    }
    const leftMs = deadlineMs - performance.now()
    if (head.isEnded || leftMs <= 0 || access.isStopping()) return head
    await pause(Math.min(pollIntervalMs, leftMs), undefined, { signal })
  }
}

async function cancelIfOpen({ cancel }: JobAccess): Promise<void> {
  try {
    await cancel()
  } catch (error) {
    // It has ended in the meantime.
    if (!(error instanceof Failure && error.code === 'CONFLICT')) throw error
  }
}
