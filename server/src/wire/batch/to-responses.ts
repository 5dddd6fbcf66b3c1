import { type Job, jobStatus, type ListedJob } from '../../domain/job/job.ts'
import { isoTime, isoTimeOrNull } from '../../runtime/iso-time.ts'

/** A batch without its results. */
export const batchHead = (job: ListedJob & Pick<Job, 'invalidUrls'>) => ({
  job_id: job.id,
  status: jobStatus(job),
  batch_config: job.request.config,
  token_summary: { tokens_charged_total: job.tokens, tokens_reserved: job.counts.open },
  total_urls: job.counts.total,
  completed_urls: job.counts.completed,
  failed_urls: job.counts.failed,
  cancelled_urls: job.counts.cancelled,
  pending_urls: job.counts.open,
  invalid_urls: job.invalidUrls,
  created_at: isoTime(job.createdAtMs),
  completed_at: isoTimeOrNull(job.completedAtMs),
})

/** A batch in a list. */
export const batchItem = (job: ListedJob) => ({
  job_id: job.id,
  status: jobStatus(job),
  accepted_urls: job.counts.total,
  completed_urls: job.counts.completed,
  failed_urls: job.counts.failed,
  config: job.request.config,
  created_at: isoTime(job.createdAtMs),
  completed_at: isoTimeOrNull(job.completedAtMs),
})
