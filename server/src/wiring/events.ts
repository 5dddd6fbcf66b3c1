/** Builds what tells listeners about tasks and jobs. */
import { type TaskLane, taskLanes } from '../domain/task/lane.ts'
import { EventHub } from '../events/event-hub.ts'
import type { Log } from '../runtime/log.ts'
import type { Metrics } from '../runtime/metrics.ts'
import type { Database } from '../storage/database.ts'
import { countRunningTasks } from '../storage/queue-queries.ts'

/** `countTasks` says how many tasks of an account wait or run in a lane. */
export function startEvents(
  { db, log, metrics }: { db: Database; log: Log; metrics: Metrics },
  countTasks: (lane: TaskLane, accountId: string) => number,
): EventHub {
  const hub = new EventHub({
    db,
    log,
    readQueue: async (accountId) => {
      const [running = 0] = await db.run(countRunningTasks(accountId))
      const all = taskLanes.reduce((sum, lane) => sum + countTasks(lane, accountId), 0)
      return { running, waiting: Math.max(0, all - running) }
    },
  })
  metrics.read('event_streams', 'Listeners of events, with an open stream.', () => hub.streamsCount)
  return hub
}
