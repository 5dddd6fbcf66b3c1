/** Builds what tells listeners about tasks and jobs. */
import { taskLanes } from '../domain/task/lane.ts'
import { EventHub } from '../events/event-hub.ts'
import type { Depths } from '../queue/depths.ts'
import type { Log } from '../runtime/log.ts'
import type { Metrics } from '../runtime/metrics.ts'
import type { Database } from '../storage/database.ts'
import { countRunningTasks } from '../storage/queries/queue.ts'

export function startEvents(
  { db, log, metrics }: { db: Database; log: Log; metrics: Metrics },
  depths: Depths,
): EventHub {
  const hub = new EventHub({
    db,
    log,
    readQueue: async (accountId) => {
      const [written = 0] = await db.run(countRunningTasks(accountId))
      const running = written + depths.begunOf(accountId)
      const all = taskLanes.reduce((sum, lane) => sum + depths.of(lane, accountId).ofAccount, 0)
      return { running, waiting: Math.max(0, all - running) }
    },
  })
  metrics.read('event_streams', 'Listeners of events, with an open stream.', () => hub.streamsCount)
  return hub
}
