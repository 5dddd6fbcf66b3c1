import type { TargetResponse } from '@trawl/sdk'
import { type TimePicture, type TimeRow, timePicture } from './time-rows.ts'

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
