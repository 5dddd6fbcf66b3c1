import type { z } from 'zod'
import type { DayPeriod } from '../../domain/task/usage-statistics.ts'
import type { Usage } from '../../tasks/usage/usage.ts'
import type { DateQuery } from '../../wire/query-dates.ts'
import { InvalidRequest } from '../errors/problem.ts'

/** The whole days that the dates of a query name. */
export function requestedPeriod(
  query: z.output<typeof DateQuery>,
  { choosePeriod }: Pick<Usage, 'choosePeriod'>,
): DayPeriod {
  return requirePeriod(query, choosePeriod({ startMs: query.start_date, endMs: query.end_date }))
}

/** Throws the fault of a period at the date that is wrong. */
export function requirePeriod<Chosen extends object>(
  { end_date }: z.output<typeof DateQuery>,
  period: Chosen,
): Exclude<Chosen, { fault: string }> {
  if (!('fault' in period)) return period as Exclude<Chosen, { fault: string }>
  const loc = ['query', end_date === undefined ? 'start_date' : 'end_date']
  const msg = `Value error, the period ${period.fault}`
  throw new InvalidRequest([{ loc, msg, type: 'value_error' }])
}
