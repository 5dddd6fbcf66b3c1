import { z } from 'zod'
import { defineRoute } from '../../route.ts'

export const getConcurrencyUsage = defineRoute({
  operationId: 'getConcurrencyUsage',
  method: 'GET',
  path: '/v1/usage/concurrency',
  family: 'usage',
  summary: 'Count the running tasks of the account',
  response: {
    status: 200,
    description: 'At this moment, over all processes.',
    body: z
      .object({
        work_concurrency_in_use: z.int().describe('Tasks of the account that are running.'),
        work_concurrency_limit: z
          .int()
          .describe(
            '`TRAWL_ACCOUNT_RUNNING_MAX`; if it is not set, what all workers can run at once.',
          ),
      })
      .meta({ id: 'ConcurrencyUsage' }),
  },
  examples: {
    usage: {
      summary: 'The running tasks',
      status: 200,
      response: { work_concurrency_in_use: 3, work_concurrency_limit: 68 },
    },
  },

  async handle({ account }, { usage }) {
    const { runningCount, runningMax } = await usage.concurrency(account.id)
    return { work_concurrency_in_use: runningCount, work_concurrency_limit: runningMax }
  },
})
