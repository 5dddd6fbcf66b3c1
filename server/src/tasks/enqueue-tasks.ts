import type { Failure } from '../domain/failure.ts'
import { engineFor } from '../domain/scrape/choose-engine.ts'
import type { ScrapeOptions } from '../domain/scrape/scrape-options.ts'
import { flowName } from '../domain/task/flow.ts'
import type { TaskLane } from '../domain/task/lane.ts'
import type { Task } from '../domain/task/task.ts'
import type { EventReporter } from '../events/event-hub.ts'
import type { Depths } from '../queue/depths.ts'
import type { PendingEntries } from '../queue/pending-entries.ts'
import type { LaneProducer } from '../queue/queue.ts'
import type { Sealer } from '../runtime/crypto/seal.ts'
import { storeUnavailable } from '../storage/outages/store-unavailable.ts'
import { enqueueOpenTasks } from '../storage/tables/jobs.ts'
import type { Awaited } from '../storage/tables/queue-entries.ts'
import { insertTaskOnce } from '../storage/tables/tasks.ts'
import type { AccountLimits } from './account-limits.ts'
import type { AdmissionControl } from './admission-control.ts'
import type { BrowserAccess } from './browser-access.ts'

export interface EnqueueParts {
  /** Read for every task, because the browser lane may be opened later. */
  lanes: Readonly<Record<TaskLane, LaneProducer<Task>>>
  browserAccess: BrowserAccess
  accountLimits: AccountLimits
  admissionControl: AdmissionControl
  depths: Depths
}

/** Tasks of one account with the same options, and so for the same engine. */
interface TasksToQueue {
  accountId: string
  options: ScrapeOptions
  count: number
}

/** Throws if no process has the engine. */
export async function requireEngine(
  { browserAccess }: EnqueueParts,
  { options }: Pick<TasksToQueue, 'options'>,
): Promise<void> {
  if (engineFor(options) === 'browser') await browserAccess.requireBrowser(options)
}

/**
 * Throws if the queue has no capacity left. It may have filled since the request came in, so nothing is awaited
 * between this and entering the queue: otherwise many requests would take the same place.
 */
export const requireCapacity = (
  { admissionControl }: EnqueueParts,
  { accountId, count }: Pick<TasksToQueue, 'accountId' | 'count'>,
): void => admissionControl.requireQueueCapacity('task', accountId, count)

/** A caller who waits at this process. */
export interface AwaitingCaller extends Awaited {
  refuse(reason: Failure): void
}

/**
 * Begins a task for a caller who waits, before it is written: nobody would wait for it after a crash.
 * Returns false if it has to queue for a slot.
 */
export function beginTask(
  parts: EnqueueParts & { sealer: Sealer; events: EventReporter },
  task: Task,
  caller: AwaitingCaller,
): boolean {
  const { sealer, events, lanes, accountLimits, depths } = parts
  const { accountId } = task
  const lane = engineFor(task.request.options)
  const entering = depths.begin(lane, accountId)
  const concurrencyKey = accountLimits.keyOf(lane, accountId)
  const entry = { ...entryOf(task), concurrencyKey, awaited: caller }
  const slot = lanes[lane].tryBegin(entry, {
    get statements() {
      return [insertTaskOnce(sealer, task).required('lease')]
    },
    committed: () => entering.committed(),
    withdrawn() {
      entering.withdrawn()
      caller.refuse(storeUnavailable(notWritten))
    },
  })
  if (!slot) {
    entering.withdrawn()
    return false
  }
  events.taskChanged(task, 'queued')
  slot.begin(task)
  return true
}

const notWritten = 'The task could not be written to the store. Retry in a moment.'

const entryOf = ({ id, accountId, job }: Task) => ({ id, workId: id, accountId, jobId: job?.id })

/** Tasks with an entry each, which a worker of this process may begin once they are committed. */
export function enqueueTasks(
  parts: EnqueueParts,
  { tasks, ...shared }: Omit<TasksToQueue, 'count'> & { tasks: readonly Task[] },
  awaited?: Awaited,
): PendingEntries {
  const { lane, concurrencyKey, entering } = enter(parts, { ...shared, count: tasks.length })
  const pending = tasks.map((task) => ({
    task,
    entry: lane.enqueue({ ...entryOf(task), concurrencyKey, awaited }),
  }))
  return {
    statements: pending.map(({ entry }) => entry.statement),
    committed() {
      for (const { task, entry } of pending) entry.committed(task)
      entering.committed()
    },
    withdrawn() {
      for (const { entry } of pending) entry.withdrawn()
      entering.withdrawn()
    },
  }
}

/** The open tasks of a job with one statement, however many they are. */
export function enqueueJob(
  parts: EnqueueParts,
  { id, retries, ...shared }: TasksToQueue & { id: string; retries: number },
): PendingEntries {
  const { lane, name, concurrencyKey, entering } = enter(parts, shared)
  const flow = flowName({ accountId: shared.accountId, jobId: id, concurrencyKey })
  return {
    statements: [enqueueOpenTasks({ jobId: id, retries, lane: name, flow, concurrencyKey })],
    committed() {
      entering.committed()
      lane.announce(flow)
    },
    withdrawn: () => entering.withdrawn(),
  }
}

/** From now on the tasks count as queued for admission control. */
function enter(
  { lanes, accountLimits, depths }: EnqueueParts,
  { accountId, options, count }: TasksToQueue,
) {
  const name = engineFor(options)
  return {
    name,
    lane: lanes[name],
    concurrencyKey: accountLimits.keyOf(name, accountId),
    entering: depths.enter(name, accountId, count),
  }
}
