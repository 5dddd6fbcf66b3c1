/** Builds what accepts and drives jobs, from the parts that run their tasks. */
import type { Config } from '../config.ts'
import type { PreloadedDelivery } from '../delivery/outbox.ts'
import type { Task, TaskProgress } from '../domain/task/task.ts'
import { createAllJobs } from '../jobs/all-jobs.ts'
import { createBatches } from '../jobs/batch/batches.ts'
import { advanceCrawl } from '../jobs/crawl/advance-crawl.ts'
import { createCrawls } from '../jobs/crawl/crawls.ts'
import type { Politeness } from '../jobs/crawl/politeness.ts'
import { JobDriver } from '../jobs/job-driver.ts'
import { createMaps } from '../jobs/map/maps.ts'
import type { DocumentFetcher } from '../jobs/sitemaps/fetch-document.ts'
import type { LaneProducer } from '../queue/queue.ts'
import type { WritingTurns } from '../storage/writing-turns.ts'
import type { EndedTasksOfJobs } from '../tasks/job-of-task.ts'
import type { ReadingTurns } from '../tasks/results/reading-turns.ts'
import type { Tasks, TasksParts } from '../tasks/tasks.ts'

/** A job without a driver waits so long at most for the next process that looks. */
const sweepIntervalMs = 2_000

interface JobsParts extends TasksParts {
  config: Config
  tasks: Tasks
  deliveries: LaneProducer<PreloadedDelivery>
  endedTasks: EndedTasksOfJobs
  readingTurns: ReadingTurns
  writingTurns: WritingTurns
}

interface CrawlingParts {
  fetchDocument: DocumentFetcher
  politeness: Politeness
}

export function startJobs(parts: JobsParts, crawling: CrawlingParts, stack: AsyncDisposableStack) {
  const isWorker = parts.config.roles.includes('worker')
  const advance = isWorker ? crawlAdvancer(parts, crawling) : undefined
  const driver = stack.use(new JobDriver({ ...parts, sweepIntervalMs, advance }))
  parts.endedTasks.listen((job) => driver.changed(job))
  const ofJobs = { ...parts, driver }
  return {
    allJobs: createAllJobs(parts),
    batches: createBatches(ofJobs),
    crawls: createCrawls(ofJobs),
    maps: createMaps(ofJobs),
  }
}

/** Takes crawls further; other jobs have their turn while it waits for targets. */
function crawlAdvancer(
  parts: JobsParts,
  { fetchDocument, politeness }: CrawlingParts,
): NonNullable<ConstructorParameters<typeof JobDriver>[0]['advance']> {
  const readResult = (task: Task & TaskProgress) =>
    parts.kept.read(task, 'extraction', { signal: undefined })
  const hostConcurrency = parts.config.workers.crawlHostConcurrency
  return (job, { wake, waitFor }) => {
    const inTurns: Politeness = {
      judgeOf: (...asked) => waitFor(() => politeness.judgeOf(...asked)),
      pausesOf: (...asked) => waitFor(() => politeness.pausesOf(...asked)),
    }
    const step = { politeness: inTurns, fetchDocument, readResult, wake, waitFor }
    return advanceCrawl({ ...parts, ...step, hostConcurrency }, job)
  }
}
