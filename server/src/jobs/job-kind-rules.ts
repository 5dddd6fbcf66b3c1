import type { EventType } from '../domain/delivery/webhook.ts'
import { endOfBatch, endOfCrawl, endOfMap, type JobEnd, type JobKind } from '../domain/job/job.ts'
import type { JobView } from '../storage/tables/jobs.ts'
import { batchHead } from '../wire/batch/to-responses.ts'
import { crawlHead } from '../wire/crawl/to-responses.ts'
import { mapHead } from '../wire/map/to-responses.ts'

interface KindRules {
  /** What its webhooks are told at its end; nothing of a map, whose caller waits for it. */
  event: EventType | undefined
  endOf(job: JobView): JobEnd
  /** The job without its results. */
  head(job: JobView): { job_id: string; status: string }
}

export const jobKindRules: Record<JobKind, KindRules> = {
  batch: { event: 'batch_completed', endOf: endOfBatch, head: batchHead },
  map: { event: undefined, endOf: endOfMap, head: mapHead },
  crawl: { event: 'crawl_completed', endOf: endOfCrawl, head: crawlHead },
}
