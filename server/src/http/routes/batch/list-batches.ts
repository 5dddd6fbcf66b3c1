import { z } from 'zod'
import { BatchJobList } from '../../../domain/job/batch-object.ts'
import { PageQuery, toEnvelope } from '../../../domain/pagination.ts'
import { DateQuery } from '../../../domain/query-dates.ts'
import { taskStatuses } from '../../../domain/task/task.ts'
import { batchItem } from '../../../jobs/batch-json.ts'
import { defineRoute } from '../../route.ts'

export const listBatches = defineRoute({
  operationId: 'listBatches',
  method: 'GET',
  path: '/v1/batch/jobs',
  family: 'batch',
  summary: 'List batches, newest first',
  query: PageQuery.extend(DateQuery.shape).extend({
    status: z.enum(taskStatuses).optional().describe('Only batches with this status.'),
  }),
  response: { status: 200, description: 'A page of them.', body: BatchJobList },
  examples: { newest: { summary: 'The ten newest', query: { page_size: '10' }, status: 200 } },

  async handle({ account, query }, { batches }) {
    const page = { page: query.page, pageSize: query.page_size }
    const filter = {
      accountId: account.id,
      status: query.status,
      createdFromMs: query.start_date,
      createdToMs: query.end_date,
    }
    const { items, ...envelope } = toEnvelope(await batches.list(filter, page), page, batchItem)
    return { jobs: items, ...envelope }
  },
})
