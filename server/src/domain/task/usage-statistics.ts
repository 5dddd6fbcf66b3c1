import { extractOrderOf } from '../scrape/scrape-request.ts'
import { msPerDay, utcDayOf } from '../utc-time.ts'
import type { Task, TaskProgress } from './task.ts'

/** What the tasks that ended on one UTC day add up to. */
export interface DayTotals {
  utcDay: number
  completedCount: number
  failedCount: number
  durationMs: number
  tokens: number
}

/** What one task adds to the day on which it ended; undefined if it is open or was cancelled. */
export function dayTotalsOf(task: Task & TaskProgress): DayTotals | undefined {
  const { state, completedAtMs } = task
  if (completedAtMs === null || (state !== 'completed' && state !== 'failed')) return undefined
  const isCompleted = state === 'completed'
  return {
    utcDay: utcDayOf(completedAtMs),
    completedCount: isCompleted ? 1 : 0,
    failedCount: isCompleted ? 0 : 1,
    durationMs: durationMsOf(task),
    tokens: tokensOf(task),
  }
}

/** How long the task took, retries and their pauses included, without the time it waited to start. */
export const durationMsOf = ({
  createdAtMs,
  startedAtMs,
  completedAtMs,
}: Pick<Task & TaskProgress, 'createdAtMs' | 'startedAtMs' | 'completedAtMs'>): number =>
  Math.max(0, Math.round((completedAtMs ?? createdAtMs) - (startedAtMs ?? createdAtMs)))

/** From the start of a task to its end; null before. */
export const runMsOf = ({
  startedAtMs,
  completedAtMs,
}: Pick<TaskProgress, 'startedAtMs' | 'completedAtMs'>): number | null =>
  startedAtMs === null || completedAtMs === null ? null : Math.round(completedAtMs - startedAtMs)

/** A token is one fetched page; a page from the cache is free. */
export const tokensOf = ({
  state,
  request,
}: Pick<Task & TaskProgress, 'state' | 'request'>): number =>
  state === 'completed' && extractOrderOf(request)?.cachedFrom === undefined ? 1 : 0

/** Whole UTC days, both ends included. */
export interface DayPeriod {
  firstDay: number
  lastDay: number
}

const daysMax = 366
const msByDefault = 30 * msPerDay

type PeriodFault = 'ends before it starts' | 'is longer than 366 days'

/**
 * The whole days that the period touches. It ends now if no end is given, and starts 30 days before its
 * end if no start is given.
 */
export function choosePeriod(
  asked: { startMs?: number | undefined; endMs?: number | undefined },
  nowMs: number,
): DayPeriod | { fault: PeriodFault } {
  const endMs = asked.endMs ?? nowMs
  const firstDay = utcDayOf(asked.startMs ?? endMs - msByDefault)
  const lastDay = utcDayOf(endMs)
  if (firstDay > lastDay) return { fault: 'ends before it starts' }
  if (lastDay - firstDay >= daysMax) return { fault: 'is longer than 366 days' }
  return { firstDay, lastDay }
}

/** The days of the period of the same length that ends the day before. */
export const previousPeriod = ({ firstDay, lastDay }: DayPeriod): DayPeriod => ({
  firstDay: firstDay - (lastDay - firstDay + 1),
  lastDay: firstDay - 1,
})

export interface UsageStatistics {
  extractionCount: number
  previousExtractionCount: number
  /** Between 0 and 1; 0 without extractions. */
  successRate: number
  averageDurationMs: number
  tokens: number
  /** Every day of the period, in order. */
  days: DayTotals[]
}

/** Adds up the days of a period; `totals` may have days of the period before as well. */
export function summarize(totals: readonly DayTotals[], period: DayPeriod): UsageStatistics {
  const byDay = new Map(totals.map((day) => [day.utcDay, day]))
  const days = daysOf(period).map((utcDay) => byDay.get(utcDay) ?? { utcDay, ...nothing })
  const before = daysOf(previousPeriod(period)).flatMap((utcDay) => byDay.get(utcDay) ?? [])
  const completedCount = sumOf(days, (day) => day.completedCount)
  const extractionCount = sumOf(days, countOf)
  const durationMs = sumOf(days, (day) => day.durationMs)
  const isNone = extractionCount === 0
  return {
    extractionCount,
    previousExtractionCount: sumOf(before, countOf),
    successRate: isNone ? 0 : completedCount / extractionCount,
    averageDurationMs: isNone ? 0 : Math.round(durationMs / extractionCount),
    tokens: sumOf(days, ({ tokens }) => tokens),
    days,
  }
}

const nothing = { completedCount: 0, failedCount: 0, durationMs: 0, tokens: 0 }

const countOf = (day: DayTotals): number => day.completedCount + day.failedCount

const sumOf = (days: readonly DayTotals[], read: (day: DayTotals) => number): number =>
  days.reduce((sum, day) => sum + read(day), 0)

const daysOf = ({ firstDay, lastDay }: DayPeriod): number[] =>
  Array.from({ length: lastDay - firstDay + 1 }, (_, index) => firstDay + index)
