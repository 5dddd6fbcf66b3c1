/**
 * The composition root below `main.ts`: each file builds one part of the service and names what it
 * needs. This one builds what runs tasks and deliveries, by the roles of this process, from the top down.
 */

import type { Config } from '../config.ts'
import { resend } from '../delivery/resend.ts'
import { createSigner } from '../delivery/signer.ts'
import { createWebhooks } from '../delivery/webhooks.ts'
import type { Delivery } from '../domain/delivery/delivery.ts'
import { Failure } from '../domain/failure.ts'
import type { BrowserPresence } from '../engines/install/browser-presence.ts'
import { RequestTurns, tooManyWaiting } from '../http/request-turns.ts'
import { createPoliteness } from '../jobs/crawl/politeness.ts'
import { jobDeliveryBody } from '../jobs/job-events.ts'
import { jobOfTaskReader } from '../jobs/job-of-task.ts'
import type { EgressGuard } from '../outbound/guard/egress-guard.ts'
import type { ListeningPorts } from '../outbound/guard/listening-ports.ts'
import type { Log } from '../runtime/log.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { CallerPriority } from '../runtime/sharing/caller-priority.ts'
import { EventLoopShares } from '../runtime/sharing/event-loop-shares.ts'
import { ServedAccounts } from '../runtime/sharing/served-accounts.ts'
import { WritingTurns } from '../storage/writing-turns.ts'
import { abandonTask, cancelledChannel } from '../tasks/abandon.ts'
import { createAccountLimits } from '../tasks/account-limits.ts'
import { createAutoEngine } from '../tasks/auto-engine.ts'
import { createBrowserAccess } from '../tasks/browser-access.ts'
import { taskDeliveryBody } from '../tasks/delivery-payloads.ts'
import { EndedTasksOfJobs } from '../tasks/job-of-task.ts'
import type { ProxyPool } from '../tasks/proxies/proxy-pool.ts'
import { startReleasingCallers } from '../tasks/release-callers.ts'
import { createPageCutter } from '../tasks/results/page-cutter.ts'
import { ReadingTurns } from '../tasks/results/reading-turns.ts'
import { Settler } from '../tasks/settle.ts'
import { createTasks, type TasksParts } from '../tasks/tasks.ts'
import { ActivityRollups } from '../tasks/usage/activity-rollups.ts'
import { createUsage } from '../tasks/usage/usage.ts'
import { startAdmission } from './admission.ts'
import { openDeliveryLane } from './delivery-lane.ts'
import { startEvents } from './events.ts'
import { startFetching } from './fetching.ts'
import { startJobs } from './jobs.ts'
import type { OpenStore } from './open-store.ts'
import { startQueueOfProcess } from './queue-of-process.ts'
import { startResults } from './results.ts'
import { startSweeps } from './sweeps.ts'
import { openTaskLanes } from './task-lanes.ts'

export type Work = ReturnType<typeof startWork>

interface WorkParts {
  config: Config
  store: OpenStore
  guard: EgressGuard
  listeningPorts: ListeningPorts
  log: Log
  metrics: Metrics
  /** Identifies this process among those that share the store. */
  processId: string
  publicUrl: () => string
  presence: BrowserPresence
  proxies: ProxyPool
}

const idempotencyKeptMs = 86_400_000

const shuttingDown = () =>
  new Failure('SHUTTING_DOWN', 'This process is shutting down. Try again in a moment.')

export function startWork(given: WorkParts) {
  const { config, log, processId, publicUrl } = given
  const { db, sealer, digest } = given.store
  // Disposed from its end to its beginning: what others report to ends after them.
  const stack = new AsyncDisposableStack()
  const writingTurns = new WritingTurns()
  const base = { ...given, db, sealer, digest, idempotencyKeptMs, writingTurns }
  const results = startResults(base, stack)
  const fetching = startFetching(base, stack)
  const { depths, admissionControl } = startAdmission(base, stack)
  const events = stack.use(startEvents(base, depths))
  const rollups = stack.use(new ActivityRollups(db, log, () => depths.byAccount()))
  const queue = startQueueOfProcess(base)
  stack.use(db.listen(cancelledChannel, (taskId) => queue.abortWork(taskId)))

  const bodyOf = (delivery: Delivery, signal: AbortSignal) =>
    delivery.subject.kind === 'task'
      ? taskDeliveryBody(results, delivery, signal)
      : jobDeliveryBody({ db, sealer, publicUrl }, delivery)
  const sending = { client: fetching.client, sign: createSigner({ db, sealer }), bodyOf }
  const deliveries = openDeliveryLane({ ...base, ...sending, queue })
  const endedTasks = new EndedTasksOfJobs()
  const settler = new Settler({ ...base, ...results, deliveries, rollups, events, endedTasks })
  queue.listenForAbandoned((taskId) => abandonTask({ db, sealer, queue, settler }, taskId))

  const isWorker = config.roles.includes('worker')
  const browserAccess = createBrowserAccess({ browser: fetching.browser, queue, isWorker })
  const accountLimits = createAccountLimits(config.workers.accountRunningMax)
  const shared = { queue, settler, events, depths, accountLimits, admissionControl, browserAccess }
  const politeness = createPoliteness(fetching)
  const callerPriority = new CallerPriority()
  const lanes = openTaskLanes({
    ...base,
    ...results,
    ...fetching,
    ...shared,
    autoEngine: createAutoEngine({ browserAccess }),
    readJobOfTask: jobOfTaskReader({ db, sealer, politeness: politeness.ofPages }),
    callerPriority,
  })
  const resendDelivery: TasksParts['resend'] = (delivery) => resend({ db, deliveries }, delivery)
  const taskParts = { ...base, ...results, ...shared, lanes, resend: resendDelivery }
  const tasks = createTasks(taskParts)
  const readingTurns = new ReadingTurns()
  const jobs = startJobs(
    { ...taskParts, deliveries, endedTasks, readingTurns, tasks },
    { fetchDocument: fetching.fetchDocument, politeness: politeness.inTurns },
    stack,
  )
  const { requireResultKept } = tasks
  const webhooks = createWebhooks({ ...base, ...sending, deliveries, requireResultKept })
  // Ends before all of the above, to which its last tasks report.
  stack.use(queue)
  stack.use(startSweeps({ ...taskParts, deliveries }))
  let stopped: Promise<void> | undefined
  const cutPage = createPageCutter(results.contents)
  const { accountRunningMax } = config.workers
  const usage = createUsage({ db, depths, accountRunningMax })
  const served = new ServedAccounts()
  const requestTurns = new RequestTurns(served)
  const eventLoopShares = new EventLoopShares({ served, tooManyWait: tooManyWaiting })
  const turns = { readingTurns, requestTurns, eventLoopShares, callerPriority }
  const calling = { ...turns, cutPage, admissionControl, usage }
  return {
    /** What callers can do with it. */
    useCases: { tasks, ...jobs, webhooks, events, ...calling },
    browserAccess,
    markStopping: queue.markStopping,
    /** Graceful shutdown: claims no more work, and aborts what still runs after this time. */
    stopClaiming(endsWithinMs: number): void {
      events.endStreams()
      queue.stopClaiming()
      writingTurns.refuseWaiting(shuttingDown())
      stack.use(startReleasingCallers({ db, log, callers: results.callers, processId }))
      setTimeout(() => {
        queue.abortAllWork()
        results.callers.refuseAll()
      }, endsWithinMs).unref()
    },
    [Symbol.asyncDispose](): Promise<void> {
      stopped ??= stack.disposeAsync()
      return stopped
    },
  }
}
