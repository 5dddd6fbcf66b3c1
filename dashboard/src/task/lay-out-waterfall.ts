import type { TaskDetails } from '@trawl/sdk'
import { type TimeBar, type TimePicture, type TimeRow, timePicture } from './time-rows.ts'

export type TimedTask = Pick<
  TaskDetails,
  'created_at' | 'completed_at' | 'attempt_log' | 'deliveries'
>

type Attempt = TaskDetails['attempt_log'][number]
type Delivery = TaskDetails['deliveries'][number]

/** The phases of an attempt in their order. Those of the network are a part of `render` in a browser. */
const phases: readonly { key: string; name: string; kind: 'network' | 'page' }[] = [
  { key: 'dns', name: 'DNS', kind: 'network' },
  { key: 'connect', name: 'Connect', kind: 'network' },
  { key: 'tls', name: 'TLS', kind: 'network' },
  { key: 'first_byte', name: 'First byte', kind: 'network' },
  { key: 'download', name: 'Download', kind: 'network' },
  { key: 'render', name: 'Render', kind: 'page' },
  { key: 'wait', name: 'Wait for', kind: 'page' },
  { key: 'extract', name: 'Extract', kind: 'page' },
]

/**
 * Where the time of a task went: attempts that were not the last as a row each, the last one phase by phase,
 * then storing and deliveries. Phases are measured as lengths, so they are drawn one after the other.
 */
export function layOutWaterfall(task: TimedTask): TimePicture {
  const originMs = Date.parse(task.created_at)
  const sinceCreation = (time: string) => Math.max(0, Date.parse(time) - originMs)
  const earlier = task.attempt_log.slice(0, -1)
  const last = task.attempt_log.at(-1)
  const rows: TimeRow[] = earlier.map((attempt, index) => ({
    ...named(attempt, index),
    bars: [
      queueBar(attempt, sinceCreation(attempt.started_at)),
      wholeBar(attempt, sinceCreation(attempt.started_at)),
    ].filter(isSeen),
  }))
  if (last) {
    const startMs = sinceCreation(last.started_at)
    rows.push(...rowsOfLast(last, earlier.length, startMs))
    const endMs = startMs + last.duration_ms
    const storedMs = task.completed_at === null ? 0 : sinceCreation(task.completed_at) - endMs
    rows.push(...rowsOf([{ name: 'Store', kind: 'work', startMs: endMs, durationMs: storedMs }]))
  }
  const endMs = timePicture(rows).totalMs
  return timePicture([
    ...rows,
    ...task.deliveries.flatMap((delivery) => rowsOfDelivery(delivery, { sinceCreation, endMs })),
  ])
}

/** Whether an attempt gave what its caller wanted. */
export const isFailedAttempt = ({ outcome, http_status }: Attempt): boolean =>
  outcome !== 'page' || (http_status ?? 0) >= 400

export const outcomeText = ({ outcome, http_status }: Attempt): string =>
  outcome === 'page' ? `HTTP ${http_status ?? '–'}` : outcome

const named = (attempt: Attempt, index: number): Pick<TimeRow, 'name' | 'note'> => ({
  name: `Attempt ${index + 1} (${attempt.engine === 'http' ? 'HTTP' : 'browser'})`,
  note: `${isFailedAttempt(attempt) ? '✕ ' : ''}${outcomeText(attempt)}`,
})

const queueBar = ({ queue_ms }: Attempt, startMs: number): TimeBar => ({
  name: 'Queue',
  kind: 'wait',
  startMs: Math.max(0, startMs - queue_ms),
  durationMs: Math.min(queue_ms, startMs),
})

const wholeBar = (attempt: Attempt, startMs: number): TimeBar => ({
  name: `Attempt, ${outcomeText(attempt)}`,
  kind: isFailedAttempt(attempt) ? 'failed' : 'work',
  startMs,
  durationMs: attempt.duration_ms,
})

function rowsOfLast(attempt: Attempt, index: number, startMs: number): TimeRow[] {
  const bars = phaseBars(attempt, startMs)
  const measuredEndMs = Math.max(startMs, ...bars.map((bar) => bar.startMs + bar.durationMs))
  const otherMs = startMs + attempt.duration_ms - measuredEndMs
  return [
    ...rowsOf([queueBar(attempt, startMs)]),
    { ...named(attempt, index), bars: [wholeBar(attempt, startMs)] },
    ...rowsOf(bars),
    ...(bars.length > 0
      ? rowsOf([{ name: 'Other work', kind: 'work', startMs: measuredEndMs, durationMs: otherMs }])
      : []),
  ]
}

function phaseBars({ timings }: Attempt, startMs: number): TimeBar[] {
  if (timings === null) return []
  const isRendered = timings['render'] !== undefined
  let networkMs = startMs
  let pageMs = startMs
  return phases
    .map(({ key, name, kind }): TimeBar => {
      const durationMs = timings[key] ?? 0
      const barMs = kind === 'network' ? networkMs : pageMs
      if (kind === 'network') networkMs += durationMs
      if (kind === 'page' || !isRendered) pageMs += durationMs
      return { name, kind, startMs: barMs, durationMs }
    })
    .filter(isSeen)
}

function rowsOfDelivery(
  delivery: Delivery,
  { sinceCreation, endMs }: { sinceCreation: (time: string) => number; endMs: number },
): TimeRow[] {
  // A try hours later would leave a line of everything else.
  const latestMs = endMs * 2 + 1_000
  const bars = delivery.attempts.map(
    ({ number, started_at, duration_ms, error }): TimeBar => ({
      name: `Try ${number}${error === null ? '' : `, ${error}`}`,
      kind: error === null ? 'send' : 'failed',
      startMs: sinceCreation(started_at),
      durationMs: duration_ms,
    }),
  )
  const drawn = bars.filter(({ startMs }) => startMs <= latestMs)
  const later = bars.length - drawn.length
  if (bars.length === 0) return []
  const note = [
    `${delivery.status === 'failed' ? '✕ ' : ''}${delivery.status}`,
    ...(later > 0 ? [`${later} later`] : []),
  ]
  const name = delivery.webhook_id === null ? 'Callback' : 'Webhook event'
  return [{ name, note: note.join(', '), bars: drawn }]
}

/** A row for each that took any time. */
const rowsOf = (bars: readonly TimeBar[]): TimeRow[] =>
  bars.filter(isSeen).map((bar) => ({ name: bar.name, note: '', bars: [bar] }))

const isSeen = ({ durationMs }: TimeBar): boolean => durationMs > 0
