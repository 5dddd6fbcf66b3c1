import type { WebhookDeliveryDetails } from '@trawl/sdk'
import { useEffect, useState } from 'react'
import { FigureWithTable } from '../parts/data-table.tsx'
import { durationText, momentText } from '../parts/value-text.ts'
import { layOutTimeline, type MarkKind, type TimelineLayout } from './lay-out-timeline.ts'

const title = 'Delivery timeline'

const outcomes: Record<MarkKind, string> = {
  event: 'it happened',
  delivered: 'delivered',
  failed: 'failed',
  next: 'to come',
}

/** When a delivery was tried and will be tried, seen from its event. */
export function DeliveryTimeline({ delivery }: { delivery: WebhookDeliveryDetails }) {
  const { next_attempt_at, attempts } = delivery
  const nowMs = useNow(next_attempt_at !== null)
  const timeline = layOutTimeline(delivery, nowMs)
  const failedCount = attempts.filter(({ error }) => error !== null).length
  return (
    <FigureWithTable
      title={title}
      rows={timeline.marks}
      columns={[
        ['What', ({ name }) => name],
        ['Outcome', ({ kind }) => outcomes[kind]],
        ['Time', ({ atMs }) => momentText(atMs)],
        ['After the event', ({ sinceEventMs }) => durationText(sinceEventMs), 'end'],
      ]}
    >
      <Picture
        timeline={timeline}
        label={`${title}: ${attempts.length} attempts, ${failedCount} of them failed`}
      />
      <Legend />
    </FigureWithTable>
  )
}

const percent = (position: number): string => `${position * 100}%`

/** Lengths are shares of the width, so that text keeps its size on a phone. */
function Picture({ timeline, label }: { timeline: TimelineLayout; label: string }) {
  return (
    <div className="timeline">
      <svg role="img" aria-label={label}>
        <line className="timeline-axis" x1="0" x2="100%" y1="24" y2="24" />
        {timeline.ticks.map(({ ms, position }) => (
          <svg key={ms} x={percent(position)} y="24" aria-hidden="true">
            <path className="timeline-axis" d="M0 0V6" />
            <text y="20" textAnchor="middle">
              {durationText(ms)}
            </text>
          </svg>
        ))}
        {timeline.nowPosition !== undefined && (
          <svg x={percent(timeline.nowPosition)} y="24" aria-hidden="true">
            <path className="timeline-now" d="M0 -20V6" />
          </svg>
        )}
        {timeline.marks.map(({ kind, name, position, sinceEventMs }) => (
          <svg key={name} x={percent(position)} y="24">
            <title>{`${name}, ${outcomes[kind]}, ${durationText(sinceEventMs)} after the event`}</title>
            <DeliveryMark kind={kind} />
          </svg>
        ))}
      </svg>
    </div>
  )
}

function Legend() {
  return (
    <ul className="legend plain-list small soft">
      {(Object.keys(outcomes) as MarkKind[]).map((kind) => (
        <li key={kind}>
          <svg className="delivery-mark-frame" viewBox="-10 -10 20 20" aria-hidden="true">
            <DeliveryMark kind={kind} />
          </svg>
          {outcomes[kind]}
        </li>
      ))}
    </ul>
  )
}

const paths: Record<MarkKind, string> = {
  event: 'M0 -9V9',
  delivered: 'M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0Z',
  failed: 'M-5 -5L5 5M5 -5L-5 5',
  next: 'M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0Z',
}

/** A dot, a cross or a ring: the shape alone says what it is. */
function DeliveryMark({ kind }: { kind: MarkKind }) {
  return <path className="delivery-mark" data-kind={kind} d={paths[kind]} />
}

/** The time, a second after the other while somebody needs it. */
export function useNow(isRunning: boolean): number {
  const [nowMs, setNowMs] = useState(Date.now)
  useEffect(() => {
    if (!isRunning) return
    setNowMs(Date.now())
    const timer = setInterval(() => setNowMs(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [isRunning])
  return nowMs
}
