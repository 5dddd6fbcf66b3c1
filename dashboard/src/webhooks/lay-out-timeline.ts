import type { WebhookDeliveryDetails } from '@trawl/sdk'

export type MarkKind = 'event' | 'delivered' | 'failed' | 'next'

/** A moment of a delivery. */
interface TimelineMark {
  kind: MarkKind
  name: string
  atMs: number
  sinceEventMs: number
  /** From 0, the event, to 1, the end of the axis. */
  position: number
}

type TimelineFacts = Pick<WebhookDeliveryDetails, 'created_at' | 'attempts' | 'next_attempt_at'>

const ticksMs = [100, 1_000, 10_000, 60_000, 600_000, 3_600_000, 36_000_000, 259_200_000]
/** The first attempt comes some ten milliseconds after the event, the last one three days after. */
const unitMs = 10
const spanMsMin = 1_000
const tickGapMin = 0.18

export type TimelineLayout = ReturnType<typeof layOutTimeline>

/** Attempts on a logarithmic axis, as the pauses between them grow from seconds to a day. */
export function layOutTimeline(delivery: TimelineFacts, nowMs: number) {
  const eventMs = Date.parse(delivery.created_at)
  const moments = momentsOf(delivery, eventMs)
  const isWaiting = delivery.next_attempt_at !== null
  const lastMs = Math.max(...moments.map(({ atMs }) => atMs), isWaiting ? nowMs : 0)
  const spanMs = Math.max(lastMs - eventMs, spanMsMin)
  const positionOf = (sinceEventMs: number) =>
    round(Math.log1p(Math.max(sinceEventMs, 0) / unitMs) / Math.log1p(spanMs / unitMs))
  return {
    marks: moments.map((moment) => {
      // The clocks of two processes may differ by some milliseconds.
      const sinceEventMs = Math.max(moment.atMs - eventMs, 0)
      return { ...moment, sinceEventMs, position: positionOf(sinceEventMs) }
    }),
    ticks: ticksApart(
      ticksMs.filter((ms) => ms <= spanMs).map((ms) => ({ ms, position: positionOf(ms) })),
    ),
    /** Where it is now, while an attempt is ahead. */
    nowPosition: isWaiting ? positionOf(nowMs - eventMs) : undefined,
  }
}

/** Leaves out those whose text would touch the one before on a phone. */
function ticksApart<Tick extends { position: number }>(ticks: readonly Tick[]): Tick[] {
  const apart: Tick[] = []
  for (const tick of ticks) {
    if (tick.position - (apart.at(-1)?.position ?? -1) >= tickGapMin) apart.push(tick)
  }
  return apart
}

function momentsOf(
  { attempts, next_attempt_at }: TimelineFacts,
  eventMs: number,
): Pick<TimelineMark, 'kind' | 'name' | 'atMs'>[] {
  return [
    { kind: 'event', name: 'Event', atMs: eventMs },
    ...attempts.map(({ number, error, started_at }) => ({
      kind: error === null ? ('delivered' as const) : ('failed' as const),
      name: `Attempt ${number}`,
      atMs: Date.parse(started_at),
    })),
    ...(next_attempt_at === null
      ? []
      : [{ kind: 'next' as const, name: 'Next attempt', atMs: Date.parse(next_attempt_at) }]),
  ]
}

const round = (value: number): number => Math.round(value * 10_000) / 10_000
