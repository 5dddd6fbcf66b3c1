/** Opens the lanes that run tasks, each with its engine, by the roles of this process. */
import { availableParallelism } from 'node:os'
import type { Config } from '../config.ts'
import type { TaskLane } from '../domain/task/lane.ts'
import type { Task, TaskProgress } from '../domain/task/task.ts'
import type { BrowserEngine } from '../engines/browser/browser-engine.ts'
import { createBrowserSlots } from '../engines/browser/browser-slots.ts'
import type { LocalBrowser } from '../engines/browser/local-browser.ts'
import { createHttpEngine, type HttpEngine } from '../engines/http/http-engine.ts'
import { mapSite } from '../jobs/map/map-site.ts'
import type { HttpClient } from '../outbound/client/http-client.ts'
import { CrashIsolation } from '../queue/crash-isolation.ts'
import type { Depths } from '../queue/depths.ts'
import type { LaneOptions } from '../queue/lane-options.ts'
import type { LaneProducer, Queue } from '../queue/queue.ts'
import type { Metrics } from '../runtime/metrics.ts'
import type { CallerPriority } from '../runtime/sharing/caller-priority.ts'
import type { MemoryBudget } from '../runtime/sharing/memory-budget.ts'
import type { AccountLimits } from '../tasks/account-limits.ts'
import type { PageFetcher } from '../tasks/make-attempt.ts'
import { createTaskWorker, type TaskWorkerParts } from '../tasks/work-task.ts'

interface TaskLanesParts extends TaskWorkerParts {
  config: Config
  queue: Queue
  client: HttpClient
  documentEngine: HttpEngine
  browser: LocalBrowser
  metrics: Metrics
  accountLimits: AccountLimits
  depths: Depths
  memoryBudget: MemoryBudget
  callerPriority: CallerPriority
}

type TaskLanes = Record<TaskLane, LaneProducer<Task>>

interface LaneSlots
  extends Required<Pick<LaneOptions<Task>, 'slotsMax' | 'isAdvertised'>>,
    Pick<LaneOptions<Task>, 'delaysOthers'> {
  occupy(work: () => Promise<void>): Promise<void>
}

type OpenLane = (engine: PageFetcher, slots: LaneSlots) => LaneProducer<Task>

/** Until this process has a browser, it only enqueues browser tasks, and other workers run them. */
export function openTaskLanes(parts: TaskLanesParts): Readonly<TaskLanes> {
  const { config, queue, client, browser } = parts
  const lanes: TaskLanes = {
    http: queue.producerFor('http'),
    browser: queue.producerFor('browser'),
  }
  if (!config.roles.includes('worker')) return lanes
  const openLane = laneOpener(parts)
  const engine = createHttpEngine({ client })
  lanes.http = openLane(
    {
      name: 'http',
      fetch: (order) =>
        order.purpose.kind === 'map'
          ? mapSite(
              { engine: parts.documentEngine, contents: parts.contents },
              order.purpose.map,
              order,
            )
          : engine.fetch(order),
    },
    {
      slotsMax: config.workers.httpConcurrency,
      isAdvertised: () => true,
      delaysOthers: (accountId) => parts.callerPriority.delaysOthers(accountId),
      occupy: (work) => work(),
    },
  )
  browser.whenReady((engine) => {
    lanes.browser = openBrowserLane(parts, engine, openLane)
  })
  return lanes
}

function openBrowserLane(
  { config, depths, metrics, browser }: TaskLanesParts,
  engine: BrowserEngine,
  openLane: OpenLane,
): LaneProducer<Task> {
  const coreCount = availableParallelism()
  const slots = createBrowserSlots({
    slotsSet: config.workers.browserConcurrency ?? coreCount,
    coreCount,
    waitingCount: () => depths.byLane().browser.waiting,
    onIncrease: () => producer.wake(),
  })
  metrics.readBy('state', 'browser_slots', 'Browser pages: open, and free slots for more.', () => [
    ['used', slots.usedCount],
    ['free', Math.max(slots.max() - slots.usedCount, 0)],
  ])
  metrics.readBy(
    'state',
    'browser_sandbox',
    'The sandbox mode of the browser; absent before its first start.',
    () => {
      const { sandbox } = browser.facts()
      return sandbox ? [[sandbox, 1]] : []
    },
  )
  const producer = openLane(
    { name: 'browser', fetch: (request) => engine.visit(request) },
    {
      slotsMax: () => (browser.isBackingOff() ? 0 : slots.max()),
      isAdvertised: () => !browser.isBackingOff(),
      occupy: slots.occupy,
    },
  )
  return producer
}

/** The lanes share one crash isolation: a suspected poison task runs alone in the whole process. */
function laneOpener(parts: TaskLanesParts): OpenLane {
  const isolation = new CrashIsolation()
  const { memoryBudget } = parts
  return (engine, { occupy, ...slots }) => {
    const onEnded = countEnded(parts, engine.name)
    const onMoved = countMoved(parts, engine.name)
    const work = createTaskWorker(parts, { engine, memoryBudget, onEnded, onMoved })
    return parts.queue.openLane<Task>({
      lane: engine.name,
      isolation,
      limitOf: parts.accountLimits.limitOf,
      ...slots,
      work: (lease, preloaded) => occupy(() => work(lease, preloaded)),
    })
  }
}

const countMoved =
  ({ depths }: TaskLanesParts, from: TaskLane) =>
  ({ accountId }: Task, to: TaskLane): void => {
    depths.left(from, accountId)
    depths.enter(to, accountId).committed()
  }

const countEnded =
  ({ depths, metrics }: TaskLanesParts, engine: TaskLane) =>
  ({ accountId, state, startedAtMs, completedAtMs }: Task & TaskProgress): void => {
    depths.left(engine, accountId)
    metrics.tasksEnded.inc({ engine, outcome: state })
    metrics.taskSeconds.observe({ engine }, ((completedAtMs ?? 0) - (startedAtMs ?? 0)) / 1_000)
  }
