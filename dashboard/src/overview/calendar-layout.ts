export interface CalendarDay {
  /** The start of the UTC day, ISO 8601. */
  date: string
  count: number
}

interface CalendarSquare extends CalendarDay {
  /** The week, from the first one on. */
  column: number
  /** The day of the week, from Monday on. */
  row: number
  /** From 0 for nothing to `levelMax` for the most. */
  level: number
}

export const levelMax = 4

/** A square a day: weeks from left to right, Monday at the top. The days are in order, without gaps. */
export function layOutCalendar(days: readonly CalendarDay[]) {
  const countMax = Math.max(...days.map(({ count }) => count), 0)
  const offset = weekdayOf(days[0]?.date ?? '')
  const squares = days.map(
    (day, index): CalendarSquare => ({
      ...day,
      column: Math.floor((index + offset) / 7),
      row: (index + offset) % 7,
      level: levelOf(day.count, countMax),
    }),
  )
  return {
    squares,
    columnCount: (squares.at(-1)?.column ?? -1) + 1,
    /** The names of months, above the week in which each begins. */
    months: squares
      .filter(({ date }) => new Date(date).getUTCDate() === 1)
      .map(({ date, column }) => ({ name: monthName.format(new Date(date)), column })),
  }
}

const monthName = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' })
const wholeDate = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })

export const utcDayText = (date: string): string => wholeDate.format(new Date(date))

/** From 0 for Monday. */
const weekdayOf = (date: string): number => (date === '' ? 0 : (new Date(date).getUTCDay() + 6) % 7)

/** By magnitude: one busy day must not make all others look like none. */
const levelOf = (count: number, countMax: number): number =>
  count === 0 ? 0 : Math.ceil((levelMax * Math.log1p(count)) / Math.log1p(countMax))
