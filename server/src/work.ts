/** Builds what works on tasks and deliveries, by the roles of this process. */
import type { Config } from './config.ts'
import { Destinations } from './delivery/destinations.ts'
import type { HandedDelivery } from './delivery/outbox.ts'
import { resend } from './delivery/resend.ts'
import { createSender } from './delivery/send-delivery.ts'
import { createSigner, type Signer } from './delivery/signer.ts'
import { createWebhooks, type Webhooks } from './delivery/webhooks.ts'
import { type BrowserEngine, createBrowserEngine } from './engines/browser-engine.ts'
import type { BrowserPresence } from './engines/browser-presence.ts'
import { launchableOf, type PresentBrowser } from './engines/ensure-browser.ts'
import { startLocalBrowser } from './engines/local-browser.ts'
import { type ContentThreads, startContentThreads } from './formats/content-threads.ts'
import { createHttpClient } from './outbound/create-http-client.ts'
import type { EgressGuard } from './outbound/egress-guard.ts'
import { createGuardedConnect } from './outbound/guarded-connect.ts'
import type { HttpClient } from './outbound/http-client.ts'
import type { ListeningPorts } from './outbound/listening-ports.ts'
import { createResolver, type Resolver } from './outbound/resolver.ts'
import { Depths, type LaneDepth } from './queue/depths.ts'
import { type LaneProducer, type Queue, startQueue } from './queue/queue.ts'
import type { LinkSigner } from './runtime/link-signer.ts'
import type { Log } from './runtime/log.ts'
import type { Metrics } from './runtime/metrics.ts'
import { memoryBytes } from './runtime/process-load.ts'
import { readDiskSpace } from './runtime/read-disk-space.ts'
import type { Sealer } from './runtime/seal.ts'
import type { Database } from './storage/database.ts'
import { openTaskLanes } from './task-lanes.ts'
import { abandonTask, cancelledChannel } from './tasks/abandon.ts'
import { createAccountLimits } from './tasks/account-limits.ts'
import { startAccountStorage } from './tasks/account-storage.ts'
import { type BrowserAccess, createBrowserAccess } from './tasks/browser-access.ts'
import { deliveryBody } from './tasks/delivery-payloads.ts'
import { findFinished } from './tasks/finished-task.ts'
import { type Intake, startIntake } from './tasks/intake.ts'
import { realtimeForm } from './tasks/kept-results.ts'
import type { ProxyPool } from './tasks/proxy-pool.ts'
import { startReleasingCallers } from './tasks/release-callers.ts'
import { startRetention } from './tasks/retention.ts'
import { Settler } from './tasks/settle.ts'
import { createTaskLinks, type TaskLinks } from './tasks/task-links.ts'
import { createTasks, type Tasks } from './tasks/tasks.ts'
import { WaitingCallers } from './tasks/waiting-callers.ts'

export interface Work extends AsyncDisposable {
  tasks: Tasks
  webhooks: Webhooks
  /** Begins nothing more, and ends what is under way after that time at the latest. */
  stopClaiming(endsWithinMs: number): void
  intake: Intake
  browserAccess: BrowserAccess
}

interface WorkParts {
  config: Config
  db: Database
  sealer: Sealer
  linkSigner: LinkSigner
  guard: EgressGuard
  listeningPorts: ListeningPorts
  log: Log
  metrics: Metrics
  publicUrl: () => string
  presence: BrowserPresence
  proxies: ProxyPool
}

/** Two contents at once keep two cores busy; a page that takes long leaves one for the others. */
const contentThreadCount = 2
/** Only where nobody said when it has to end. */
const workEndsWithinMs = 25_000
/** A receiver that answers at all has done so by then. */
const receiverPatienceMs = 2_000
/** Keeps the ten that are sent at once busy while the next are claimed. */
const prefetchedPerDestinationMax = 32
/** An account that has too much loses its oldest results within a minute. */
const storageSweptEveryMs = 15_000
const idempotencyKeptMs = 86_400_000
/** What is left is for bodies that are on their way, and for whoever else lives on the machine. */
const memoryShareMax = 0.75

export function startWork(given: WorkParts): Work {
  const { config, db, sealer, log, metrics, guard } = given
  const stack = new AsyncDisposableStack()
  const resolver = createResolver({ servers: config.outbound.dnsServers })
  const client = stack.use(createHttpClient({ guard, resolver }))
  const contents = stack.use(startContentThreads({ count: contentThreadCount, log }))
  const links = createTaskLinks(given)
  const find = (taskId: string) =>
    findFinished({ db, sealer, contents, links }, taskId, realtimeForm)
  const callers = stack.use(new WaitingCallers({ db, log, find }))
  const browser = stack.use(
    startLocalBrowser({
      log,
      presence: given.presence,
      createEngine: engineMaker(given, resolver),
    }),
  )
  const queue: Queue = stack.use(
    startQueue({
      db,
      log,
      leaseMs: config.queue.leaseMs,
      graceMs: workEndsWithinMs,
      onFenced: () => metrics.fencedWrites.inc(),
      onReclaimed: (count) => metrics.leaseReclaims.inc(count),
      onAbandoned: (taskId) => abandonTask({ db, sealer, queue, settler }, taskId),
    }),
  )
  stack.use(db.listen(cancelledChannel, (taskId) => queue.loseWork(taskId)))
  const sign = createSigner(given)
  const accountLimits = createAccountLimits(config.workers.accountRunningMax)
  const depths = stack.use(new Depths({ db, log }))
  const storage = stack.use(startAccountStorage({ db, log, ...storageLimits(config) }))
  const readDisk = () => readDiskSpace(config.store.dataDir)
  const limits = intakeLimits(config)
  const intake = stack.use(startIntake({ db, log, depths, limits, storage, readDisk }))
  const isWorker = config.roles.includes('worker')
  const browserAccess = createBrowserAccess({ browser, queue, isWorker })
  const made = { queue, client, contents, links, callers, sign, accountLimits, depths, intake }
  const parts = { ...given, ...made, browser, browserAccess }
  tellDepths(metrics, depths)
  const deliveries = openDeliveryLane(parts)
  const settler: Settler = new Settler({ ...parts, deliveries })
  const kept = {
    resultsMs: config.retention.resultsMs,
    tasksMs: config.retention.tasksMs,
    idempotencyMs: idempotencyKeptMs,
  }
  const tasks = createTasks({
    ...parts,
    settler,
    lanes: openTaskLanes({ ...parts, settler }),
    idempotencyKeptMs,
    resultsKeptMs: kept.resultsMs,
    resend: (delivery) => resend({ db, deliveries }, delivery),
  })
  stack.use(startRetention({ db, log, kept, sweptEveryMs: 3 * config.queue.leaseMs }))
  return {
    tasks,
    intake,
    browserAccess,
    webhooks: createWebhooks({
      ...parts,
      deliveries,
      requireResultKept: tasks.requireResultKept,
    }),
    stopClaiming(endsWithinMs) {
      queue.stopClaiming()
      stack.use(startReleasingCallers({ ...parts, processId: queue.processId }))
      setTimeout(() => {
        queue.endAllWork()
        callers.refuseAll()
      }, endsWithinMs).unref()
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Chromium behind the guard. */
const engineMaker =
  ({ config, guard, listeningPorts, log, metrics }: WorkParts, resolver: Resolver) =>
  (present: PresentBrowser): BrowserEngine =>
    createBrowserEngine({
      browser: () => launchableOf(present),
      sandbox: config.browser.sandbox,
      isRoot: process.getuid?.() === 0,
      log,
      onRestart: (reason) => metrics.browserRestarts.inc({ reason }),
      connect: createGuardedConnect({ guard, resolver }),
      onListening: listeningPorts.add,
    })

const intakeLimits = ({ http, workers, store }: Config) => ({
  diskFreeMin: store.diskFreeMin,
  residentBytesMax: http.memoryBytesMax ?? memoryShareMax * memoryBytes(),
  queueMax: workers.queueMax,
  accountQueueMax: workers.accountQueueMax,
})

const storageLimits = ({ store }: Config) => ({
  bytesMax: store.accountBytesMax,
  sweptEveryMs: storageSweptEveryMs,
})

function tellDepths(metrics: Metrics, depths: Depths): void {
  const byLane = (read: (depth: LaneDepth) => number) => () =>
    Object.entries(depths.byLane()).map(([lane, depth]) => [lane, read(depth)] as const)
  metrics.readBy(
    'lane',
    'queue_depth',
    'Entries that wait for their turn, on the whole store.',
    byLane(({ waiting }) => waiting),
  )
  metrics.readBy(
    'lane',
    'queue_oldest_age_seconds',
    'How long the next in line that nobody has begun has been waiting.',
    byLane(({ oldestAgeMs }) => oldestAgeMs / 1_000),
  )
}

interface LaneParts extends WorkParts {
  queue: Queue
  client: HttpClient
  contents: ContentThreads
  links: TaskLinks
  sign: Signer
}

function openDeliveryLane(parts: LaneParts): LaneProducer<HandedDelivery> {
  const { config, queue, metrics } = parts
  if (!config.roles.includes('delivery')) return queue.producerFor('delivery')
  const destinations = new Destinations()
  metrics.read(
    'delivery_circuit_open',
    'Receivers that failed again and again and are tried by one delivery at a time.',
    () => destinations.countOneByOne(),
  )
  return queue.openLane<HandedDelivery>({
    lane: 'delivery',
    slotsMax: config.workers.deliveryConcurrency,
    patienceMs: receiverPatienceMs,
    // A webhook may be paused, moved or deleted while its delivery waits.
    preloadedBytes: ({ delivery, body }) => (delivery.webhook ? undefined : body?.byteLength),
    prefetchMax: prefetchedPerDestinationMax,
    limitOf: (destination) => destinations.limitOf(destination),
    work: createSender({
      ...parts,
      destinations,
      scheduleMs: config.delivery.scheduleMs,
      bodyOf: (delivery) => deliveryBody(parts, delivery),
      onSent: ({ durationMs }, result) => {
        metrics.deliveryAttempts.inc({ result })
        metrics.deliverySeconds.observe(durationMs / 1_000)
        if (result === 'given_up') metrics.deadLetters.inc()
      },
    }),
  })
}
