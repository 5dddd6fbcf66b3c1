import type { Log } from '../runtime/log.ts'
import type { Database } from '../storage/database.ts'
import { listUnstartedAwaited } from '../storage/queue-queries.ts'
import type { WaitingCallers } from './waiting-callers.ts'

const lookEveryMs = 250

/**
 * In a process that stops: callers who wait for what nobody has begun are told to ask elsewhere at
 * once, as it may never be begun here, and would be waited for until the last moment.
 */
export function startReleasingCallers(parts: {
  db: Database
  log: Log
  processId: string
  callers: WaitingCallers
}): Disposable {
  const { db, log, processId, callers } = parts
  const look = async () => {
    if (callers.count === 0) return
    try {
      const unbegun = await db.run(listUnstartedAwaited(processId))
      for (const { work_id } of unbegun) callers.refuse(work_id)
    } catch (error) {
      log.debug({ err: error }, 'Callers who wait in vain could not be found.')
    }
  }
  void look()
  const timer = setInterval(() => void look(), lookEveryMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
