import { jobStatus, type ListedJob } from '../../domain/job/job.ts'
import { redactUrl } from '../../domain/redact-url.ts'
import type { ListedTask } from '../../domain/task/listed-task.ts'
import { durationMsOf } from '../../domain/task/usage-statistics.ts'
import { isoTime, isoTimeOrNull } from '../../runtime/iso-time.ts'
import { errorOf, toExtractionError } from '../extract/extraction-error.ts'

/** A map without its links. */
export function mapHead(job: ListedJob, task?: ListedTask) {
  const { map } = job.request
  const error = task && errorOf(task)
  const shown = error && toExtractionError(error, job.id)
  return {
    job_id: job.id,
    url: redactUrl(map?.url ?? ''),
    search: map?.search ?? null,
    status: jobStatus(job),
    include_subdomains: map?.includesSubdomains ?? false,
    ignore_query_parameters: map?.ignoresQueries ?? true,
    links_count: job.linksCount,
    error_code: shown?.code ?? null,
    error_message: shown?.message ?? null,
    duration_ms: task ? durationMsOf(task) : 0,
    created_at: isoTime(job.createdAtMs),
    completed_at: isoTimeOrNull(job.completedAtMs),
    tokens_charged: job.tokens,
  }
}
