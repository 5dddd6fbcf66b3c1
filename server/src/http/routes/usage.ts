import { z } from 'zod'
import type { UsageStatistics } from '../../domain/task/usage-statistics.ts'
import { utcDayStartMs } from '../../domain/utc-time.ts'
import { isoTime } from '../../runtime/iso-time.ts'
import { DateQuery } from '../../wire/query-dates.ts'
import { requestedPeriod } from '../requests/requested-period.ts'
import { defineRoute, type Route } from '../route.ts'

const date = z.string().describe('The start of the UTC day, ISO 8601.')

const Statistics = z
  .object({
    extraction_count: z.int().describe('Tasks that completed or failed; cancelled ones not.'),
    previous_period_extraction_count: z
      .int()
      .describe('The same for as many days before the period.'),
    success_rate: z.number().describe('Completed of all, from 0.0 to 1.0; 0.0 without any.'),
    average_extraction_duration: z
      .int()
      .describe('In milliseconds, from the start of a task to its end.'),
    period_tokens_used: z.int().describe('A token is one fetched page.'),
    requests: z
      .array(z.object({ date, success_request_count: z.int(), failed_request_count: z.int() }))
      .describe('Every day of the period.'),
    tokens_used: z
      .array(z.object({ date, tokens_used: z.int() }))
      .describe('Every day of the period.'),
  })
  .meta({ id: 'Statistics' })

const getStatistics = defineRoute('usage', {
  operationId: 'getStatistics',
  request: 'GET /v1/statistics',
  takesTurns: true,
  summary: 'Count what the account has extracted, by day',
  description:
    'Every task counts once, on the UTC day on which it ended. The period is widened to whole days, 366 at most; it ends now and starts 30 days before its end if a date is left out. Days older than 400 days are empty.',
  query: DateQuery,
  response: { description: 'The statistics of the period.', body: Statistics },
  examples: {
    recent: { summary: 'The last 30 days' },
    days: {
      summary: 'Two days',
      query: { start_date: '2026-03-01', end_date: '2026-03-02' },
      response: {
        extraction_count: 5,
        previous_period_extraction_count: 2,
        success_rate: 0.8,
        average_extraction_duration: 412,
        period_tokens_used: 4,
        requests: [
          { date: '2026-03-01T00:00:00.000Z', success_request_count: 0, failed_request_count: 0 },
          { date: '2026-03-02T00:00:00.000Z', success_request_count: 4, failed_request_count: 1 },
        ],
        tokens_used: [
          { date: '2026-03-01T00:00:00.000Z', tokens_used: 0 },
          { date: '2026-03-02T00:00:00.000Z', tokens_used: 4 },
        ],
      },
    },
  },

  async handle({ account, query }, { usage }) {
    return toBody(await usage.statistics(account.id, requestedPeriod(query, usage)))
  },
})

const toBody = ({ days, ...sums }: UsageStatistics): z.input<typeof Statistics> => ({
  extraction_count: sums.extractionCount,
  previous_period_extraction_count: sums.previousExtractionCount,
  success_rate: sums.successRate,
  average_extraction_duration: sums.averageDurationMs,
  period_tokens_used: sums.tokens,
  requests: days.map(({ utcDay, completedCount, failedCount }) => ({
    date: isoTime(utcDayStartMs(utcDay)),
    success_request_count: completedCount,
    failed_request_count: failedCount,
  })),
  tokens_used: days.map(({ utcDay, tokens }) => ({
    date: isoTime(utcDayStartMs(utcDay)),
    tokens_used: tokens,
  })),
})

const getConcurrencyUsage = defineRoute('usage', {
  operationId: 'getConcurrencyUsage',
  request: 'GET /v1/usage/concurrency',
  summary: 'Count the running tasks of the account',
  response: {
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
      response: { work_concurrency_in_use: 3, work_concurrency_limit: 68 },
    },
  },

  async handle({ account }, { usage }) {
    const { runningCount, runningMax } = await usage.concurrency(account.id)
    return { work_concurrency_in_use: runningCount, work_concurrency_limit: runningMax }
  },
})

export const usageRoutes: readonly Route[] = [getStatistics, getConcurrencyUsage]
