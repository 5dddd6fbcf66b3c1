import type { Log } from '../runtime/log.ts'
import type { Database } from '../storage/database.ts'
import { listUnstartedAwaited } from '../storage/queries/queue.ts'
import type { WaitingCallers } from './waiting-callers.ts'

const pollIntervalMs = 250

/**
 * During graceful shutdown, rejects realtime callers whose task no worker has started: it may never
 * start here, and they would wait until the shutdown deadline. So they can retry elsewhere at once.
 */
export function startReleasingCallers(parts: {
  db: Database
  log: Log
  processId: string
  callers: WaitingCallers
}): Disposable {
  const { db, log, processId, callers } = parts
  const poll = async () => {
    if (callers.count === 0) return
    try {
      const unbegun = await db.run(listUnstartedAwaited(processId))
      for (const { work_id } of unbegun) callers.refuse(work_id)
    } catch (error) {
      log.debug({ err: error }, 'Failed to list the callers of unstarted tasks; retrying.')
    }
  }
  void poll()
  const timer = setInterval(() => void poll(), pollIntervalMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
