import { z } from 'zod'
import { formatNames, toPublicFormats } from '../../../domain/scrape/extract-options.ts'
import type { SearchedTask } from '../../../domain/task/listed-task.ts'
import { taskStatus } from '../../../domain/task/task.ts'
import { UrlPart } from '../../../domain/url-part.ts'
import { isoTime } from '../../../runtime/iso-time.ts'
import { jobListExamples } from '../../../wire/extract/examples.ts'
import { TaskStatus } from '../../../wire/named-enums.ts'
import { PageQuery, toEnvelope } from '../../../wire/pagination.ts'
import { DateQuery } from '../../../wire/query-dates.ts'
import { type ExtractJobItem, ExtractJobList } from '../../../wire/scrape/responses.ts'
import { defineRoute } from '../../route.ts'

export const listExtractJobs = defineRoute({
  operationId: 'listExtractJobs',
  method: 'GET',
  path: '/v1/extract/jobs',
  family: 'extract',
  takesTurns: true,
  summary: 'List jobs, newest first',
  description: 'Holds every single task: callback and realtime scrapes as well.',
  query: PageQuery.extend(DateQuery.shape).extend({
    job_id: z.guid().toLowerCase().optional().describe('Only this job.'),
    url: UrlPart.optional().describe('Only URLs that contain this, in any case.'),
    status: TaskStatus.optional().describe('Only jobs with this status.'),
    output: z.enum(formatNames).optional().describe('Only jobs with this format.'),
  }),
  response: { status: 200, description: 'A page of them.', body: ExtractJobList },
  examples: jobListExamples,

  async handle({ account, query, disconnected }, { tasks }) {
    const page = { page: query.page, pageSize: query.page_size }
    const found = await tasks.search({
      accountId: account.id,
      ...page,
      isSingle: true,
      id: query.job_id,
      url: query.url || undefined,
      signal: disconnected,
      status: query.status,
      format: query.output,
      createdFromMs: query.start_date,
      createdToMs: query.end_date,
    })
    const { items, ...envelope } = toEnvelope(found, page, toItem)
    return { jobs: items, ...envelope, is_capped: found.isCapped }
  },
})

function toItem(task: SearchedTask): z.infer<typeof ExtractJobItem> {
  const { startedAtMs, completedAtMs } = task
  const formats = task.formats.length > 0 ? task.formats : (['html'] as const)
  return {
    job_id: task.id,
    status: taskStatus(task),
    url: task.request.url,
    created_at: isoTime(task.createdAtMs),
    execution_time:
      startedAtMs === null || completedAtMs === null
        ? null
        : Math.round(completedAtMs - startedAtMs),
    output: toPublicFormats(formats),
    all_formats: [...formats],
  }
}
