import type { EventReporter } from '../../src/events/event-hub.ts'

/** For tests of parts that report changes, without anybody who listens. */
export const silentEvents: EventReporter = {
  taskChanged: () => undefined,
  jobChanged: () => undefined,
}
