import type { z } from 'zod'
import { jobStatus, type ListedJob } from '../../domain/job/job.ts'
import { redactUrl } from '../../domain/redact-url.ts'
import { isoTime, isoTimeOrNull } from '../../runtime/iso-time.ts'
import type { JobObject } from './responses.ts'

export function toJobObject(job: ListedJob): z.output<typeof JobObject> {
  const { id, kind, request, counts, completedAtMs } = job
  const url = request.crawl?.seed.url ?? request.map?.url
  return {
    job_id: id,
    kind,
    status: jobStatus(job),
    url: url === undefined ? null : redactUrl(url),
    counts: {
      total: counts.total,
      completed: counts.completed,
      failed: counts.failed,
      cancelled: counts.cancelled,
      pending: counts.open,
    },
    links_count: kind === 'map' ? job.linksCount : null,
    created_at: isoTime(job.createdAtMs),
    completed_at: isoTimeOrNull(completedAtMs),
    status_url: jobPath(job),
    tasks_url: `/v1/tasks?job=${id}`,
  }
}

/** The route that has the results. */
export const jobPath = ({ id, kind }: Pick<ListedJob, 'id' | 'kind'>): string => `/v1/${kind}/${id}`
