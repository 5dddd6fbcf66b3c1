import { z } from 'zod'
import { msPerDay } from '../domain/utc-time.ts'

// A plus sign that was not percent-encoded in the query arrives as a space.
const pattern =
  /^(?<date>\d{4}-\d\d-\d\d)(?:[Tt ](?<time>\d\d:\d\d(?::\d\d(?:[.,](?<fraction>\d{1,9}))?)?)(?<zone>[Zz]|[-+ ]\d\d(?::?\d\d)?)?)?$/

const msPerMinute = 60_000

/**
 * Reads an ISO 8601 time or a bare day; undefined if it is neither. A time without a zone is UTC. Both
 * ends of a period are inclusive, so a bare day starts a period at its first millisecond and ends it at
 * its last one.
 */
export function readQueryDate(text: string, end: 'start' | 'end'): number | undefined {
  const { date, time, fraction, zone } = pattern.exec(text)?.groups ?? {}
  if (date === undefined) return undefined
  const dayMs = readDay(date)
  if (time === undefined || dayMs === undefined) {
    return dayMs !== undefined && end === 'end' ? dayMs + msPerDay - 1 : dayMs
  }
  const timeMs = readTime(time, fraction)
  const offsetMinutes = readOffset(zone)
  if (timeMs === undefined || offsetMinutes === undefined) return undefined
  return dayMs + timeMs - offsetMinutes * msPerMinute
}

/** `Date` takes the 30th of February for a day in March. */
function readDay(date: string): number | undefined {
  const ms = Date.parse(`${date}T00:00:00.000Z`)
  if (Number.isNaN(ms)) return undefined
  return new Date(ms).toISOString().startsWith(date) ? ms : undefined
}

/** Cuts the fraction to milliseconds as text, since 0.29 × 1000 is less than 290. */
function readTime(time: string, fraction: string | undefined): number | undefined {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(/[:.,]/).map(Number)
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined
  const ms = Number((fraction ?? '').padEnd(3, '0').slice(0, 3))
  return (hours * 60 + minutes) * msPerMinute + seconds * 1_000 + ms
}

function readOffset(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === 'Z' || zone === 'z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', ''))
  if (hours > 23 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

const queryDate = (end: 'start' | 'end') =>
  z.string().transform((text, context) => {
    const ms = readQueryDate(text, end)
    if (ms !== undefined) return ms
    context.addIssue({
      code: 'custom',
      message: 'Input should be a valid datetime or date',
      params: { type: 'datetime_parsing' },
      input: text,
    })
    return z.NEVER
  })

/** The dates of a period in a query, as milliseconds since 1970; each may be left out. */
export const DateQuery = z.object({
  start_date: queryDate('start')
    .optional()
    .describe('From this time or day on: ISO 8601, UTC if it has no zone.'),
  end_date: queryDate('end')
    .optional()
    .describe('Up to this time, or to the end of this day: ISO 8601, UTC if it has no zone.'),
})
