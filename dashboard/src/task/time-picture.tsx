import './time-picture.css'
import { useId } from 'react'
import { FigureWithTable } from '../parts/data-table.tsx'
import { bytesText, countText, durationText } from '../parts/value-text.ts'
import { layOutWaterfall, type TimedTask } from './lay-out-waterfall.ts'
import {
  layOutNetwork,
  type RecordedRequest,
  requestOutcome,
  type TimeBar,
  type TimePicture,
} from './time-rows.ts'

const rowPx = 30
const barPx = { top: 17, height: 9 }
const axisPx = 20

/** Rows of bars over one axis of time. Lengths are shares of the width, so that text keeps its size. */
function TimePictureView({ label, picture }: { label: string; picture: TimePicture }) {
  const { rows, totalMs, ticksMs } = picture
  const hatchId = useId()
  const share = (ms: number) => `${(ms / totalMs) * 100}%`
  const heightPx = rows.length * rowPx + axisPx
  return (
    <svg className="time-picture" width="100%" height={heightPx} role="img" aria-label={label}>
      <defs>
        <pattern
          id={hatchId}
          width="6"
          height="6"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect fill="var(--surface)" width="6" height="6" />
          <rect fill="var(--bad)" width="3" height="6" />
        </pattern>
      </defs>
      {ticksMs.map((ms) => (
        <g key={ms} className="time-tick">
          <line x1={share(ms)} x2={share(ms)} y1="0" y2={heightPx - axisPx} />
          {ms / totalMs < 0.9 && (
            <text x={share(ms)} y={heightPx - 5}>
              {durationText(ms)}
            </text>
          )}
        </g>
      ))}
      {rows.map(({ name, note, bars }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two rows may have one name, and none is moved
        <g key={index} transform={`translate(0 ${index * rowPx})`}>
          <text x="0" y="12">
            {name}
            {note && <tspan className="time-note"> {note}</tspan>}
          </text>
          <text x="100%" y="12" textAnchor="end" className="time-length">
            {durationText(lengthMs(bars))}
          </text>
          {bars.map((bar) => (
            <Bar key={`${bar.name} ${bar.startMs}`} bar={bar} share={share} hatchId={hatchId} />
          ))}
        </g>
      ))}
    </svg>
  )
}

const colours: Record<TimeBar['kind'], string> = {
  wait: 'var(--series-5)',
  network: 'var(--series-1)',
  page: 'var(--series-3)',
  work: 'var(--series-6)',
  send: 'var(--series-4)',
  failed: 'var(--bad)',
  blocked: 'var(--series-6)',
}

function Bar(props: { bar: TimeBar; share: (ms: number) => string; hatchId: string }) {
  const { bar, share, hatchId } = props
  const { name, kind, startMs, durationMs } = bar
  // Failed ones are hatched, for who does not see the colour.
  const fills: Partial<typeof colours> = { failed: `url(#${hatchId})`, blocked: 'var(--line)' }
  return (
    <g stroke={colours[kind]}>
      <rect
        className="time-bar"
        data-kind={kind}
        x={share(startMs)}
        y={barPx.top}
        width={share(durationMs)}
        height={barPx.height}
        fill={fills[kind] ?? colours[kind]}
      >
        <title>{`${name}: ${durationText(durationMs)}`}</title>
      </rect>
      {/* However short it was, its place is seen. */}
      <line x1={share(startMs)} x2={share(startMs)} y1={barPx.top} y2={barPx.top + barPx.height} />
    </g>
  )
}

/** Without the wait before something, unless the wait is all. */
function lengthMs(bars: readonly TimeBar[]): number {
  const busy = bars.filter(({ kind }) => kind !== 'wait')
  return (busy.length > 0 ? busy : bars).reduce((sum, { durationMs }) => sum + durationMs, 0)
}

/** Where the time of a task went: every attempt, the phases of the last, and its deliveries. */
export function Waterfall({ task }: { task: TimedTask }) {
  const picture = layOutWaterfall(task)
  if (picture.rows.length === 0) return null
  const attempts = task.attempt_log.length
  const summary = `${countText(attempts)} ${attempts === 1 ? 'attempt' : 'attempts'}`
  return (
    <FigureWithTable
      title="Waterfall"
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
        label={`Waterfall: ${summary}, ${durationText(picture.totalMs)} in all`}
        picture={picture}
      />
    </FigureWithTable>
  )
}

/** What a page loaded, and what it was kept from loading. */
export function PageNetwork({ requests }: { requests: readonly RecordedRequest[] }) {
  if (requests.length === 0) return null
  const picture = layOutNetwork(requests)
  return (
    <FigureWithTable
      title="Page network"
      rows={requests}
      columns={[
        ['URL', ({ url }) => <span className="long-text">{url}</span>],
        ['Type', ({ type }) => type],
        ['Outcome', requestOutcome],
        ['From', ({ started_ms }) => durationText(started_ms), 'end'],
        ['Took', ({ duration_ms }) => durationText(duration_ms), 'end'],
        ['Size', ({ bytes }) => bytesText(bytes), 'end'],
      ]}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="network-frame" aria-label="Page network" tabIndex={0}>
        <TimePictureView
          label={`Page network: ${countText(picture.rows.length)} requests in ${durationText(picture.totalMs)}`}
          picture={picture}
        />
      </section>
    </FigureWithTable>
  )
}
