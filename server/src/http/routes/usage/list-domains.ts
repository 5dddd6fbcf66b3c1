import { z } from 'zod'
import { blockedCountOf } from '../../../domain/task/activity.ts'
import { utcDayStartMs } from '../../../domain/utc-time.ts'
import { isoTime } from '../../../runtime/iso-time.ts'
import { PageQuery, pageEnvelope, toEnvelope } from '../../../wire/pagination.ts'
import { DateQuery } from '../../../wire/query-dates.ts'
import { activityFields, toActivityBody } from '../../../wire/usage/responses.ts'
import { requestedPeriod } from '../../requests/requested-period.ts'
import { defineRoute } from '../../route.ts'

const Domain = z
  .object({
    host: z.string().describe('`*` has what goes beyond 1000 hosts of a day.'),
    ...activityFields,
    blocked: z.int().describe('Completed tasks with the status 401, 403, 407 or 429.'),
    days: z
      .array(z.object({ date: z.string(), completed: z.int(), failed: z.int() }))
      .describe('The days with any tasks, in order.'),
  })
  .meta({ id: 'Domain' })

export const listDomains = defineRoute({
  operationId: 'listDomains',
  method: 'GET',
  path: '/v1/domains',
  family: 'usage',
  takesTurns: true,
  summary: 'See how each host has responded',
  description:
    'The hosts that the account has scraped, the busiest first, with the tasks that ended in the period: whole UTC days, the last 30 if no date is given. They are kept for 30 days.',
  query: PageQuery.extend(DateQuery.shape),
  response: { status: 200, description: 'A page of the hosts.', body: pageEnvelope(Domain) },
  examples: {
    recent: { summary: 'The last 30 days', status: 200 },
    day: {
      summary: 'One day',
      query: { start_date: '2026-03-01', end_date: '2026-03-01' },
      status: 200,
      response: {
        items: [
          {
            host: 'example.com',
            completed: 41,
            failed: 1,
            retries: 4,
            engines: { http: 40, browser: 2 },
            codes: { TARGET_TIMEOUT: 1 },
            statuses: { '200': 39, '403': 2 },
            p50_ms: 362,
            p95_ms: 2048,
            p99_ms: 5793,
            blocked: 2,
            days: [{ date: '2026-03-01T00:00:00.000Z', completed: 41, failed: 1 }],
          },
        ],
        page: 1,
        page_size: 100,
        page_count: 1,
      },
    },
  },

  async handle({ account, query }, { charts, usage }) {
    const hosts = await charts.hosts(account.id, requestedPeriod(query, usage))
    const page = { page: query.page, pageSize: query.page_size }
    const items = hosts.slice((page.page - 1) * page.pageSize, page.page * page.pageSize)
    return toEnvelope({ items, totalCount: hosts.length }, page, ({ host, activity, days }) => ({
      host,
      ...toActivityBody(activity),
      blocked: blockedCountOf(activity),
      days: days.map(({ utcDay, completed, failed }) => ({
        date: isoTime(utcDayStartMs(utcDay)),
        completed,
        failed,
      })),
    }))
  },
})
