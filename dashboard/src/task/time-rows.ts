import type { TargetResponse } from '@trawl/sdk'

/** A stretch of time in a row of a picture. */
export interface TimeBar {
  /** What it is, which decides its colour and is read out. */
  name: string
  kind: 'wait' | 'network' | 'page' | 'work' | 'send' | 'failed' | 'blocked'
  startMs: number
  durationMs: number
}

export interface TimeRow {
  name: string
  /** How it ended, in words: colour is never the only sign. */
  note: string
  bars: readonly TimeBar[]
}

/** Rows over one axis of time, which begins at zero. */
export type TimePicture = ReturnType<typeof timePicture>

export function timePicture(given: readonly TimeRow[]) {
  const rows = given.map((row) => ({ ...row, bars: row.bars.map(drawable) }))
  const ends = rows.flatMap(({ bars }) =>
    bars.map(({ startMs, durationMs }) => startMs + durationMs),
  )
  const totalMs = Math.max(1, ...ends)
  return { rows, totalMs, ticksMs: ticksUpTo(totalMs) }
}

/** Clocks of several processes, and of a page, may say that something ended before it began. */
const drawable = (bar: TimeBar): TimeBar => ({
  ...bar,
  startMs: notNegative(bar.startMs),
  durationMs: notNegative(bar.durationMs),
})

const notNegative = (ms: number): number => (Number.isFinite(ms) ? Math.max(0, ms) : 0)

/** From three to six round numbers from zero on. */
export function ticksUpTo(totalMs: number): number[] {
  const rough = totalMs / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? rough
  return Array.from({ length: Math.floor(totalMs / step) + 1 }, (_, index) =>
    Number((index * step).toPrecision(12)),
  )
}

export type RecordedRequest = NonNullable<TargetResponse['requests']>[number]

const rowsMax = 300

/** The requests of a page in the order of their start. */
export function layOutNetwork(requests: readonly RecordedRequest[]): TimePicture {
  return timePicture(
    requests
      .slice(0, rowsMax)
      .toSorted((one, other) => (one.started_ms ?? 0) - (other.started_ms ?? 0))
      .map(rowOf),
  )
}

function rowOf(request: RecordedRequest): TimeRow {
  const { url, type, started_ms, duration_ms } = request
  const note = requestOutcome(request)
  const kind = request.is_blocked ? 'blocked' : isFailedRequest(request) ? 'failed' : 'network'
  return {
    name: requestName(url),
    note: `${kind === 'failed' ? '✕ ' : ''}${note}, ${type}`,
    bars: [{ name: note, kind, startMs: started_ms ?? 0, durationMs: duration_ms }],
  }
}

export const requestOutcome = ({ is_blocked, http_status }: RecordedRequest): string =>
  is_blocked ? 'blocked' : http_status === null ? 'no answer' : `HTTP ${http_status}`

const isFailedRequest = ({ http_status }: RecordedRequest): boolean =>
  http_status === null || http_status >= 400

/** The end of a URL, which tells requests apart; its host where it has no path. */
export function requestName(text: string): string {
  if (!/^(?:https?|wss?):/i.test(text) || !URL.canParse(text)) return text.slice(0, charactersMax)
  const url = new URL(text)
  const name = url.pathname === '/' ? url.host : (url.pathname.split('/').findLast(Boolean) ?? '')
  return `${name}${url.search}`.slice(0, charactersMax)
}

const charactersMax = 40
