import { FigureWithTable } from '../parts/data-table.tsx'
import { countText, durationText } from '../parts/value-text.ts'
import { layOutWaterfall, type TimedTask } from './lay-out-waterfall.ts'
import { TimePictureView } from './time-picture.tsx'

const title = 'Waterfall'

/** Where the time of a task went: every attempt, the phases of the last, and its deliveries. */
export function Waterfall({ task }: { task: TimedTask }) {
  const picture = layOutWaterfall(task)
  if (picture.rows.length === 0) return null
  const attempts = task.attempt_log.length
  const summary = `${countText(attempts)} ${attempts === 1 ? 'attempt' : 'attempts'}`
  return (
    <FigureWithTable
      title={title}
      rows={picture.rows.flatMap(({ name, note, bars }) =>
        bars.map((bar) => ({
          ...bar,
          note,
          part: bar.name === name ? name : `${name}: ${bar.name}`,
        })),
      )}
      columns={[
        ['Part', ({ part }) => part],
        ['Outcome', ({ note }) => note || '–'],
        ['From', ({ startMs }) => durationText(startMs), 'end'],
        ['Took', ({ durationMs }) => durationText(durationMs), 'end'],
      ]}
    >
      <TimePictureView
        label={`${title}: ${summary}, ${durationText(picture.totalMs)} in all`}
        picture={picture}
      />
    </FigureWithTable>
  )
}
