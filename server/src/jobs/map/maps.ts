import { Failure } from '../../domain/failure.ts'
import type { Job } from '../../domain/job/job.ts'
import { configOfMap } from '../../domain/job/job-config.ts'
import { defaultScrapeOptions } from '../../domain/scrape/scrape-options.ts'
import type { MapOrder, ScrapeRequest } from '../../domain/scrape/scrape-request.ts'
import type { Task, TaskProgress } from '../../domain/task/task.ts'
import { sortableId } from '../../runtime/sortable-id.ts'
import { insertJob } from '../../storage/tables/jobs.ts'
import { listFirstTasks, listTasksOfJob } from '../../storage/tables/tasks.ts'
import type { Tasks } from '../../tasks/tasks.ts'
import type { PaginationQuery } from '../../wire/pagination.ts'
import type { JobsQuery } from '../all-jobs.ts'
import { createJobTracking, type JobTrackingParts } from '../job-tracking.ts'
import { mapMsMax } from './map-site.ts'

interface MapsParts extends JobTrackingParts {
  tasks: Pick<Tasks, 'runForCaller'>
}

export type Maps = ReturnType<typeof createMaps>

export function createMaps(parts: MapsParts) {
  const { db, sealer, kept } = parts
  const tracking = createJobTracking(parts, 'map')

  return {
    /** Resolves when the site has been looked through. A caller who disconnects cancels it. */
    async run(accountId: string, map: MapOrder, disconnected: AbortSignal) {
      const job: Job = {
        id: sortableId(),
        accountId,
        kind: 'map',
        request: { config: configOfMap, map },
        invalidUrls: [],
        callbackUrl: null,
        createdAtMs: db.nowMs(),
      }
      const finished = await parts.tasks.runForCaller(
        accountId,
        {
          request: toRequest(map),
          metadata: null,
          ofJob: { id: job.id, statements: [insertJob(sealer, job, 1)] },
        },
        disconnected,
      )
      return { jobId: job.id, finished }
    },
    async get(accountId: string, id: string) {
      const job = await tracking.get(accountId, id)
      const [task] = await db.run(listTasksOfJob(sealer, job.id, { from: 0, limit: 1 }))
      // It was removed between the two reads.
      if (!task) throw new Failure('NOT_FOUND', 'There is no such map.')
      return { job, task }
    },
    async list(query: JobsQuery, page: PaginationQuery) {
      const { items: jobs, ...counts } = await tracking.list(query, page)
      const ids = jobs.map(({ id }) => id)
      const tasks = ids.length > 0 ? await db.run(listFirstTasks(sealer, ids)) : []
      const taskOf = new Map(tasks.map((task) => [task.job?.id, task]))
      const items = jobs.flatMap((job) => {
        const task = taskOf.get(job.id)
        return task ? [{ job, task }] : []
      })
      return { ...counts, items }
    },
    /** The links as JSON; undefined for a map without links: not completed, or no longer kept. */
    async readLinks(task: Task & TaskProgress, signal: AbortSignal) {
      const isCompleted = task.state === 'completed'
      const result = isCompleted ? await kept.read(task, 'raw', { signal }) : undefined
      return result?.content.bytes
    },
  }
}

const toRequest = (map: MapOrder): ScrapeRequest => ({
  url: map.url,
  options: defaultScrapeOptions,
  // The map ends by itself at its limit; this leaves time to store it.
  timeoutMs: mapMsMax + 5_000,
  forwardedHeaders: {},
  purpose: { kind: 'map', map },
})
