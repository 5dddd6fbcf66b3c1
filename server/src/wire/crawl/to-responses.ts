import { jobStatus, type ListedJob } from '../../domain/job/job.ts'
import { redactUrl } from '../../domain/redact-url.ts'
import { isoTime, isoTimeOrNull } from '../../runtime/iso-time.ts'

/** A crawl without its results. */
export const crawlHead = (job: ListedJob) => ({
  job_id: job.id,
  url: urlOf(job),
  status: jobStatus(job),
  crawl_config: configOf(job),
  token_summary: { tokens_charged_total: job.tokens, tokens_reserved: job.counts.open },
  total_pages: job.counts.total,
  completed_pages: job.counts.completed,
  failed_pages: job.counts.failed,
  cancelled_pages: job.counts.cancelled,
  pending_pages: job.counts.open,
  created_at: isoTime(job.createdAtMs),
  completed_at: isoTimeOrNull(job.completedAtMs),
})

/** A crawl in a list. */
export const crawlItem = (job: ListedJob) => ({
  job_id: job.id,
  url: urlOf(job),
  status: jobStatus(job),
  total_pages: job.counts.total,
  completed_pages: job.counts.completed,
  failed_pages: job.counts.failed,
  config: configOf(job),
  created_at: isoTime(job.createdAtMs),
  completed_at: isoTimeOrNull(job.completedAtMs),
})

const urlOf = ({ request }: ListedJob): string => redactUrl(request.crawl?.seed.url ?? '')

const configOf = ({ request: { config, crawl } }: ListedJob) => ({
  ...config,
  same_domain_only: crawl?.sameDomainOnly ?? true,
  include_subdomains: crawl?.includeSubdomains ?? false,
})
