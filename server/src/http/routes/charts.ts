import { z } from 'zod'
import { blockedCountOf } from '../../domain/task/activity.ts'
import { utcDayStartMs, utcMinuteStartMs } from '../../domain/utc-time.ts'
import { isoTime } from '../../runtime/iso-time.ts'
import { envelopeOfAll, PageQuery, pageEnvelope } from '../../wire/pagination.ts'
import { DateQuery } from '../../wire/query-dates.ts'
import {
  activityFields,
  DurationBuckets,
  toActivityBody,
  toDurationBuckets,
} from '../../wire/usage/responses.ts'
import { requestedPeriod, requirePeriod } from '../requests/requested-period.ts'
import { defineRoute, type Route } from '../route.ts'

const getSeries = defineRoute('usage', {
  operationId: 'getSeries',
  request: 'GET /v1/series',
  takesTurns: true,
  summary: 'Count what the account has scraped, minute by minute',
  description:
    'For charts: every step of the period, 7 days at most, with the tasks that ended in it and, looked at every two seconds, the queue at its longest. The last hour if no date is given. New ends are there within two seconds; a process that is killed loses what it had not written yet, so use `/v1/statistics` for exact counts.',
  query: DateQuery.extend({
    step: z
      .enum(['1m', '5m', '15m', '1h', '4h', '1d'])
      .optional()
      .describe(
        'How long a step is; if it is left out, the shortest that gives at most 300 steps.',
      ),
  }),
  response: {
    description: 'The steps of the period, in order.',
    body: z
      .object({
        step_seconds: z.int(),
        points: z.array(
          z.object({
            time: z.string().describe('When the step begins, ISO 8601.'),
            ...activityFields,
            durations: DurationBuckets,
            queue_depth: z.int().describe('The most tasks that waited to be run at once.'),
            queue_oldest_age_seconds: z
              .number()
              .describe('The longest that a task which was ready to be run had been there.'),
          }),
        ),
      })
      .meta({ id: 'Series' }),
  },
  examples: {
    hour: { summary: 'The last hour' },
    minute: {
      summary: 'One minute',
      query: { start_date: '2026-03-01T12:00:00Z', end_date: '2026-03-01T12:00:59Z', step: '1m' },
      response: {
        step_seconds: 60,
        points: [
          {
            time: '2026-03-01T12:00:00.000Z',
            completed: 2,
            failed: 1,
            retries: 3,
            engines: { http: 2, browser: 1 },
            codes: { TARGET_TIMEOUT: 1 },
            statuses: { '200': 2 },
            p50_ms: 362,
            p95_ms: 65536,
            p99_ms: 65536,
            durations: [
              { ms_max: 256, count: 1 },
              { ms_max: 362, count: 1 },
              { ms_max: 65536, count: 1 },
            ],
            queue_depth: 12,
            queue_oldest_age_seconds: 1.5,
          },
        ],
      },
    },
  },

  async handle({ account, query }, { charts }) {
    const chosen = charts.chooseSeries({
      startMs: query.start_date,
      endMs: query.end_date,
      stepMinutes: query.step && stepMinutes[query.step],
    })
    const period = requirePeriod(query, chosen)
    const points = await charts.series(account.id, period)
    return {
      step_seconds: period.stepMinutes * 60,
      points: points.map(({ utcMinute, activity }) => ({
        time: isoTime(utcMinuteStartMs(utcMinute)),
        ...toActivityBody(activity),
        durations: toDurationBuckets(activity),
        queue_depth: activity.queue?.waiting ?? 0,
        queue_oldest_age_seconds: (activity.queue?.oldestAgeMs ?? 0) / 1_000,
      })),
    }
  },
})

const stepMinutes = { '1m': 1, '5m': 5, '15m': 15, '1h': 60, '4h': 240, '1d': 1440 }

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

const listDomains = defineRoute('usage', {
  operationId: 'listDomains',
  request: 'GET /v1/domains',
  takesTurns: true,
  summary: 'See how each host has responded',
  description:
    'The hosts that the account has scraped, the busiest first, with the tasks that ended in the period: whole UTC days, the last 30 if no date is given. They are kept for 30 days.',
  query: PageQuery.extend(DateQuery.shape),
  response: { description: 'A page of the hosts.', body: pageEnvelope(Domain) },
  examples: {
    recent: { summary: 'The last 30 days' },
    day: {
      summary: 'One day',
      query: { start_date: '2026-03-01', end_date: '2026-03-01' },
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
    return envelopeOfAll(hosts, query, ({ host, activity, days }) => ({
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

export const chartRoutes: readonly Route[] = [getSeries, listDomains]
