/**
 * The composition root below `main.ts`: each file builds one part of the service and names what it
 * needs. This one builds what runs tasks and deliveries, by the roles of this process.
 */

import { availableParallelism } from 'node:os'
import type { Config } from '../config.ts'
import type { PreloadedDelivery } from '../delivery/outbox.ts'
import { resend } from '../delivery/resend.ts'
import { createSigner } from '../delivery/signer.ts'
import { createWebhooks, type Webhooks } from '../delivery/webhooks.ts'
import type { Delivery } from '../domain/delivery/delivery.ts'
import type { AdmissionLimits } from '../domain/service/admission-rules.ts'
import type { TaskLane } from '../domain/task/lane.ts'
import type { BrowserPresence } from '../engines/install/browser-presence.ts'
import type { EventHub } from '../events/event-hub.ts'
import { startContentThreads } from '../formats/content-threads.ts'
import type { Batches } from '../jobs/batches.ts'
import { pauseMsOfPage } from '../jobs/crawl-frontier.ts'
import type { Crawls } from '../jobs/crawls.ts'
import { endOfPage } from '../jobs/end-of-page.ts'
import type { JobDriver } from '../jobs/job-driver.ts'
import { jobDeliveryBody } from '../jobs/job-events.ts'
import type { Maps } from '../jobs/maps.ts'
import { createPoliteness, type Politeness } from '../jobs/politeness.ts'
import { createHttpClient } from '../outbound/client/create-http-client.ts'
import type { EgressGuard } from '../outbound/guard/egress-guard.ts'
import type { ListeningPorts } from '../outbound/guard/listening-ports.ts'
import { createResolver } from '../outbound/resolver.ts'
import { Depths, type LaneDepth } from '../queue/depths.ts'
import type { LaneProducer } from '../queue/queue.ts'
import { CallerPriority } from '../runtime/caller-priority.ts'
import type { Log } from '../runtime/log.ts'
import { MemoryBudget } from '../runtime/memory-budget.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { memoryBytes } from '../runtime/process-load.ts'
import { readDiskSpace } from '../runtime/read-disk-space.ts'
import { Standstills } from '../runtime/standstills.ts'
import { abandonTask, cancelledChannel } from '../tasks/abandon.ts'
import { createAccountLimits } from '../tasks/account-limits.ts'
import { startAccountStorage } from '../tasks/account-storage.ts'
import { ActivityRollups } from '../tasks/activity-rollups.ts'
import { type AdmissionControl, startAdmissionControl } from '../tasks/admission-control.ts'
import { createAutoEngine } from '../tasks/auto-engine.ts'
import { type BrowserAccess, createBrowserAccess } from '../tasks/browser-access.ts'
import { taskDeliveryBody } from '../tasks/delivery-payloads.ts'
import { findFinished } from '../tasks/finished-task.ts'
import { createKeptResults, formFor } from '../tasks/kept-results.ts'
import { createPageCutter, type PageCutter } from '../tasks/page-cutter.ts'
import { PresentedContents } from '../tasks/presented-contents.ts'
import type { ProxyPool } from '../tasks/proxy-pool.ts'
import { ReadingTurns } from '../tasks/reading-turns.ts'
import { startReleasingCallers } from '../tasks/release-callers.ts'
import { type OrphanKind, startRequeuingOrphans } from '../tasks/requeue-orphans.ts'
import { type Retention, startRetention } from '../tasks/retention.ts'
import { Settler } from '../tasks/settle.ts'
import { createTaskLinks } from '../tasks/task-links.ts'
import { createTasks, type Tasks, type TasksParts } from '../tasks/tasks.ts'
import { UrlMatcher } from '../tasks/url-matcher.ts'
import { UrlSearch } from '../tasks/url-search.ts'
import { WaitingCallers } from '../tasks/waiting-callers.ts'
import { startBrowser } from './browser.ts'
import { openDeliveryLane } from './delivery-lane.ts'
import { startEvents } from './events.ts'
import { buildJobs, createFetcher, startDriver } from './jobs.ts'
import type { OpenStore } from './open-store.ts'
import { startQueueOfProcess } from './queue-of-process.ts'
import { openTaskLanes } from './task-lanes.ts'

export interface Work extends AsyncDisposable {
  tasks: Tasks
  batches: Batches
  crawls: Crawls
  maps: Maps
  webhooks: Webhooks
  events: EventHub
  readingTurns: ReadingTurns
  callerPriority: CallerPriority
  cutPage: PageCutter
  /** Graceful shutdown: claims no more work, and aborts what still runs after this time. */
  stopClaiming(endsWithinMs: number): void
  admissionControl: AdmissionControl
  browserAccess: BrowserAccess
}

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

/** Started as they are needed; two at least, so that a slow page leaves one for the others. */
const contentThreadCount = Math.max(2, availableParallelism())
/** Memory for two responses of the largest size, or for many of a few mebibytes, and one more for others. */
const largeResponses = { accountMax: 48 * 2 ** 20, total: 68 * 2 ** 20 }
const idempotencyKeptMs = 86_400_000
/** Longer than the longest period that statistics can be asked for. */
const statisticsKeptMs = 400 * 86_400_000
/** The rest is for bodies in flight and for other programs on the machine. */
const memoryShareMax = 0.75
/** An account over its storage limit loses its oldest results within a minute. */
const storageSweepIntervalMs = 15_000

export function startWork(given: WorkParts): Work {
  const { config, guard, log, publicUrl } = given
  const { db, sealer, digest } = given.store
  const stack = new AsyncDisposableStack()
  const onAbandoned = (taskId: string): Promise<void> =>
    abandonTask({ db, sealer, queue, settler }, taskId)
  // Disposed last, since the others report to it until they have stopped.
  const countTasks = (lane: TaskLane, id: string) => shared.depths.of(lane, id).ofAccount
  const events = stack.use(startEvents({ db, log, metrics: given.metrics }, countTasks))
  // Disposed after the queue, whose last tasks are counted and may end their jobs.
  const rollups = stack.use(new ActivityRollups(db, log, () => shared.depths.byAccount()))
  stack.defer(() => driver[Symbol.asyncDispose]())
  const shared = startSharedParts(given, stack, onAbandoned)
  const { queue, client, results, callers, admissionControl, browserAccess, readingTurns } = shared
  const sign = createSigner({ db, sealer })
  const bodyOf = (delivery: Delivery, signal: AbortSignal) =>
    delivery.subject.kind === 'task'
      ? taskDeliveryBody(results, delivery, signal)
      : jobDeliveryBody({ db, sealer, publicUrl }, delivery)
  const deliveries = openDeliveryLane({
    config,
    db,
    sealer,
    log,
    metrics: given.metrics,
    queue,
    client,
    sign,
    bodyOf,
  })
  const fetchDocument = createFetcher({ ...shared, proxies: given.proxies })
  const { ofPages, inTurns } = createPoliteness({ fetchDocument })
  const driver: JobDriver = startDriver(
    { db, sealer, log },
    { config, deliveries, politeness: inTurns, fetchDocument, events, taskParts: () => taskParts },
  )
  const settler: Settler = new Settler({
    db,
    sealer,
    digest,
    deliveries,
    callers,
    links: results.links,
    rollups,
    events,
    onTaskOfJobEnded: (job) => driver.changed(job),
  })
  const ending = { deliveries, settler, politeness: ofPages, events }
  const taskParts: TasksParts = buildTaskParts(given, shared, ending)
  const tasks = createTasks(taskParts)
  const jobs = buildJobs(taskParts, { tasks, driver, readingTurns })
  const { requireResultKept } = tasks
  const ofWebhooks = { db, sealer, guard, client, sign, deliveries, bodyOf, requireResultKept }
  const webhooks = createWebhooks(ofWebhooks)
  let stopped: Promise<void> | undefined
  startSweeps(given, { ...taskParts, deliveries }, stack)
  return {
    tasks,
    ...jobs,
    admissionControl,
    browserAccess,
    webhooks,
    events,
    readingTurns,
    callerPriority: shared.callerPriority,
    cutPage: createPageCutter(results.contents),
    stopClaiming(endsWithinMs) {
      events.endStreams()
      queue.stopClaiming()
      stack.use(startReleasingCallers({ db, log, callers, processId: queue.processId }))
      setTimeout(() => {
        queue.abortAllWork()
        callers.refuseAll()
      }, endsWithinMs).unref()
    },
    [Symbol.asyncDispose]() {
      stopped ??= stack.disposeAsync()
      return stopped
    },
  }
}

/** What looks through the store from time to time. */
function startSweeps(
  { config, store: { db }, log, metrics }: WorkParts,
  parts: TasksParts & { deliveries: LaneProducer<PreloadedDelivery> },
  stack: AsyncDisposableStack,
): void {
  const sweepIntervalMs = 3 * config.queue.leaseMs
  const onRequeued = (kind: OrphanKind, count: number) =>
    metrics.orphansRequeued.inc({ kind }, count)
  stack.use(startRetention({ db, log, kept: keptTimes(config), sweepIntervalMs }))
  stack.use(startRequeuingOrphans({ ...parts, onRequeued, sweepIntervalMs }))
}

const keptTimes = ({ retention: { resultsMs, tasksMs } }: Config): Retention => ({
  resultsMs,
  tasksMs,
  idempotencyMs: idempotencyKeptMs,
  statisticsMs: statisticsKeptMs,
})

type SharedParts = ReturnType<typeof startSharedParts>

/** The parts that tasks and deliveries share; the stack disposes them. */
function startSharedParts(
  given: WorkParts,
  stack: AsyncDisposableStack,
  onAbandoned: (taskId: string) => Promise<void>,
) {
  const { config, guard, listeningPorts, log, metrics, presence } = given
  const { db, keys, sealer, linkSigner } = given.store
  const resolver = createResolver({ servers: config.outbound.dnsServers })
  const client = stack.use(createHttpClient({ guard, resolver }))
  const contents = stack.use(startContentThreads({ count: contentThreadCount, log }))
  const urlSearch = new UrlSearch(stack.use(new UrlMatcher({ keys, log })))
  const links = createTaskLinks({ publicUrl: given.publicUrl, linkSigner })
  const presented = stack.use(new PresentedContents())
  const results = { db, sealer, contents, presented, links }
  const find = (taskId: string) => findFinished(results, taskId, formFor)
  const callers = stack.use(new WaitingCallers({ db, log, find }))
  const browser = stack.use(
    startBrowser({ config, presence, guard, resolver, listeningPorts, log, metrics }),
  )
  const queue = stack.use(
    startQueueOfProcess({ config, db, log, metrics, processId: given.processId, onAbandoned }),
  )
  stack.use(db.listen(cancelledChannel, (taskId) => queue.abortWork(taskId)))
  const depths = stack.use(new Depths({ db, log }))
  reportDepths(metrics, depths)
  const { accountBytesMax: bytesMax } = config.store
  const storage = stack.use(
    startAccountStorage({ db, log, bytesMax, sweepIntervalMs: storageSweepIntervalMs }),
  )
  const limits = admissionLimits(config)
  const readDisk = () => readDiskSpace(config.store.dataDir)
  const admissionControl = stack.use(
    startAdmissionControl({ db, log, depths, limits, storage, readDisk }),
  )
  const isWorker = config.roles.includes('worker')
  const browserAccess = createBrowserAccess({ browser, queue, isWorker })
  return {
    client,
    results,
    urlSearch,
    readingTurns: new ReadingTurns(),
    callerPriority: new CallerPriority(),
    callers,
    browser,
    queue,
    depths,
    admissionControl,
    browserAccess,
    memoryBudget: new MemoryBudget(largeResponses),
    standstills: stack.use(new Standstills({ log })),
  }
}

const admissionLimits = ({ http, workers, store }: Config): AdmissionLimits => ({
  diskFreeMin: store.diskFreeMin,
  residentBytesMax: http.memoryBytesMax ?? memoryShareMax * memoryBytes(),
  queueMax: workers.queueMax,
  accountQueueMax: workers.accountQueueMax,
})

interface EndingParts {
  deliveries: LaneProducer<PreloadedDelivery>
  settler: Settler
  politeness: Politeness
  events: EventHub
}

function buildTaskParts(
  { config, store: { db, sealer, digest }, guard, log, metrics, proxies }: WorkParts,
  shared: SharedParts,
  { deliveries, settler, politeness, events }: EndingParts,
): TasksParts {
  const { queue, results, depths } = shared
  const { contents, links } = results
  const accountLimits = createAccountLimits(config.workers.accountRunningMax)
  const { resultsMs: resultsKeptMs } = config.retention
  const lanes = openTaskLanes({
    config,
    db,
    sealer,
    log,
    metrics,
    queue,
    client: shared.client,
    browser: shared.browser,
    contents,
    settler,
    links,
    proxies,
    autoEngine: createAutoEngine({ browserAccess: shared.browserAccess }),
    accountLimits,
    events,
    depths,
    memoryBudget: shared.memoryBudget,
    callerPriority: shared.callerPriority,
    standstills: shared.standstills,
    endOfPage: (task, page) => endOfPage({ db, sealer, politeness }, task, page),
    pauseMsOf: (task) => pauseMsOfPage({ db, sealer, politeness }, task),
  })
  return {
    ...results,
    digest,
    guard,
    queue,
    lanes,
    callers: shared.callers,
    urlSearch: shared.urlSearch,
    settler,
    browserAccess: shared.browserAccess,
    accountLimits,
    admissionControl: shared.admissionControl,
    depths,
    proxies,
    events,
    log,
    idempotencyKeptMs,
    resultsKeptMs,
    kept: createKeptResults({ ...results, resultsKeptMs }),
    resend: (delivery) => resend({ db, deliveries }, delivery),
  }
}

function reportDepths(metrics: Metrics, depths: Depths): void {
  const byLane = (read: (depth: LaneDepth) => number) => () =>
    Object.entries(depths.byLane()).map(([lane, depth]) => [lane, read(depth)] as const)
  metrics.readBy(
    'lane',
    'queue_depth',
    'Waiting queue entries in the whole store.',
    byLane(({ waiting }) => waiting),
  )
  metrics.readBy(
    'lane',
    'queue_oldest_age_seconds',
    'How long the oldest unstarted entry has been waiting.',
    byLane(({ oldestAgeMs }) => oldestAgeMs / 1_000),
  )
}
