/** Builds what accepts and drives jobs, from the parts that run their tasks. */
import type { Config } from '../config.ts'
import type { PreloadedDelivery } from '../delivery/outbox.ts'
import type { Task, TaskProgress } from '../domain/task/task.ts'
import { createHttpEngine } from '../engines/http/http-engine.ts'
import type { EventReporter } from '../events/event-hub.ts'
import { advanceCrawl } from '../jobs/advance-crawl.ts'
import { type Batches, createBatches } from '../jobs/batches.ts'
import { type Crawls, createCrawls } from '../jobs/crawls.ts'
import { engineWithMemory } from '../jobs/engine-with-memory.ts'
import { createDocumentFetcher, type DocumentFetcher } from '../jobs/fetch-document.ts'
import { JobDriver } from '../jobs/job-driver.ts'
import { listSitemapPages } from '../jobs/list-sitemap-pages.ts'
import { createMaps, type Maps } from '../jobs/maps.ts'
import type { Politeness } from '../jobs/politeness.ts'
import type { HttpClient } from '../outbound/client/http-client.ts'
import type { LaneProducer } from '../queue/queue.ts'
import type { MemoryBudget } from '../runtime/memory-budget.ts'
import type { ProxyPool } from '../tasks/proxy-pool.ts'
import type { ReadingTurns } from '../tasks/reading-turns.ts'
import type { Tasks, TasksParts } from '../tasks/tasks.ts'

/** A job without a driver waits so long at most for the next process that looks. */
const sweepIntervalMs = 2_000

export interface Jobs {
  batches: Batches
  crawls: Crawls
  maps: Maps
}

/** Fetches what crawls need beside their pages. */
export const createFetcher = (parts: {
  client: HttpClient
  proxies: ProxyPool
  memoryBudget: MemoryBudget
}): DocumentFetcher =>
  createDocumentFetcher({
    proxies: parts.proxies,
    engine: engineWithMemory(createHttpEngine(parts), parts.memoryBudget),
  })

export function startDriver(
  parts: Pick<TasksParts, 'db' | 'sealer' | 'log'>,
  {
    config,
    deliveries,
    politeness,
    fetchDocument,
    events,
    taskParts,
  }: {
    config: Config
    deliveries: LaneProducer<PreloadedDelivery>
    politeness: Politeness
    fetchDocument: DocumentFetcher
    events: EventReporter
    taskParts: () => TasksParts
  },
): JobDriver {
  const { db, sealer, log } = parts
  const isWorker = config.roles.includes('worker')
  const readResult = (task: Task & TaskProgress) =>
    taskParts().kept.read(task, 'job', { signal: undefined })
  return new JobDriver({
    db,
    sealer,
    log,
    deliveries,
    events,
    sweepIntervalMs,
    advance: isWorker
      ? (job, { wake, waitFor }) =>
          advanceCrawl(
            {
              ...taskParts(),
              politeness: {
                judgeOf: (...asked) => waitFor(() => politeness.judgeOf(...asked)),
                pausesOf: (...asked) => waitFor(() => politeness.pausesOf(...asked)),
              },
              listSitemapPages: (crawl, countMax) =>
                waitFor((signal) => listSitemapPages(fetchDocument, crawl, { countMax, signal })),
              readResult,
              wake,
              hostConcurrency: config.workers.crawlHostConcurrency,
            },
            job,
          )
      : undefined,
  })
}

export function buildJobs(
  parts: TasksParts,
  { tasks, ...more }: { tasks: Tasks; driver: JobDriver; readingTurns: ReadingTurns },
): Jobs {
  return {
    batches: createBatches({ ...parts, ...more }),
    crawls: createCrawls({ ...parts, ...more }),
    maps: createMaps({ ...parts, ...more, tasks }),
  }
}
