import { trawl } from '../client.ts'
import './usage-calendar.css'
import { useQuery } from '@tanstack/react-query'
import type { Statistics } from '@trawl/sdk'
import { FigureWithTable } from '../parts/data-table.tsx'
import { countText } from '../parts/value-text.ts'
import { type CalendarDay, layOutCalendar, levelMax, utcDayText } from './calendar-layout.ts'

const title = 'Tasks by day in a year'

// 52 weeks before today; the route has one day more at most.
const calendarMs = 364 * 86_400_000

/** When there was how much work: a square a day, the darker the more. */
export function UsageCalendar() {
  const { data } = useQuery({
    queryKey: ['statistics', 'year'],
    queryFn: ({ signal }) =>
      trawl.getStatistics(
        { start_date: new Date(Date.now() - calendarMs).toISOString().slice(0, 10) },
        { signal },
      ),
  })
  if (!data || data.extraction_count === 0) return null
  return (
    <FigureWithTable
      title={title}
      rows={data.requests.filter((day) => endedOn(day) > 0).reverse()}
      columns={[
        ['Day', ({ date }) => utcDayText(date)],
        ['Completed', ({ success_request_count }) => countText(success_request_count), 'end'],
        ['Failed', ({ failed_request_count }) => countText(failed_request_count), 'end'],
      ]}
    >
      <Calendar days={data.requests.map((day) => ({ date: day.date, count: endedOn(day) }))} />
    </FigureWithTable>
  )
}

type Day = Statistics['requests'][number]

const endedOn = (day: Day): number => day.success_request_count + day.failed_request_count

/** Of a square and the gap after it. */
const stepPx = 13
const squarePx = 11
const edge = { left: 30, top: 16 }
const weekdays = ['Mon', 'Wed', 'Fri']

function Calendar({ days }: { days: readonly CalendarDay[] }) {
  const { squares, columnCount, months } = layOutCalendar(days)
  const total = days.reduce((sum, { count }) => sum + count, 0)
  return (
    <>
      <svg
        className="calendar"
        viewBox={`0 0 ${edge.left + columnCount * stepPx} ${edge.top + 7 * stepPx}`}
        role="img"
        aria-label={`${title}: ${countText(total)} in ${days.length} days`}
      >
        {months.map(({ name, column }) => (
          <text key={column} x={edge.left + column * stepPx} y={edge.top - 5}>
            {name}
          </text>
        ))}
        {weekdays.map((name, index) => (
          <text key={name} x={0} y={edge.top + 2 * index * stepPx + squarePx - 2}>
            {name}
          </text>
        ))}
        {squares.map(({ date, count, column, row, level }) => (
          <rect
            key={date}
            data-level={level}
            fillOpacity={level / levelMax}
            x={edge.left + column * stepPx}
            y={edge.top + row * stepPx}
            width={squarePx}
            height={squarePx}
            rx={2}
          >
            <title>{`${utcDayText(date)}: ${countText(count)}`}</title>
          </rect>
        ))}
      </svg>
      <p className="soft small">
        The darker, the more tasks ended on that day (UTC); an empty frame is a day without any.
      </p>
    </>
  )
}
