import type { z } from 'zod'
import type { Account } from '../../domain/account/account.ts'
import { UrlPart } from '../../domain/url-part.ts'
import { TaskStatus } from '../../wire/named-enums.ts'
import { PageQuery } from '../../wire/pagination.ts'
import { DateQuery } from '../../wire/query-dates.ts'

/** Which batches, crawls or maps a caller wants to see. */
export const JobsQuery = PageQuery.extend(DateQuery.shape).extend({
  status: TaskStatus.optional().describe('Only jobs with this status.'),
})

export const JobsOfSiteQuery = JobsQuery.extend({
  url: UrlPart.optional().describe('Only URLs that contain this, in any case.'),
})

export interface JobsRequest {
  account: Account
  query: z.output<typeof JobsQuery> & { url?: string | undefined }
  disconnected: AbortSignal
}

export const jobsFilter = ({ account, query, disconnected }: JobsRequest) => ({
  accountId: account.id,
  urlPart: query.url || undefined,
  signal: disconnected,
  status: query.status,
  createdFromMs: query.start_date,
  createdToMs: query.end_date,
})
