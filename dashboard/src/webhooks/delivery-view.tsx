import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { WebhookDeliveryDetails } from '@trawl/sdk'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { trawl } from '../client.ts'
import { ActionButton, Badge } from '../parts/controls.tsx'
import { FigureWithTable } from '../parts/data-table.tsx'
import { CodeBlock, Facts, Loaded, Panel } from '../parts/panel.tsx'
import { bytesText, durationText, momentText } from '../parts/value-text.ts'
import { toneOfDelivery } from './delivery-health.ts'
import { countdownText } from './delivery-times.ts'
import { layOutTimeline, type MarkKind, type TimelineLayout } from './lay-out-timeline.ts'
import { deliveryQuery } from './webhook-queries.ts'

/** One delivery: when it was tried, what was posted, and what the receiver said. */
export function DeliveryView(props: {
  webhookId: string
  deliveryId: string
  resentAtMs: number
  onResent: () => void
}) {
  const { webhookId, deliveryId, resentAtMs, onResent } = props
  const client = useQueryClient()
  const delivery = useQuery(deliveryQuery(webhookId, deliveryId, resentAtMs))
  const resend = async () => {
    await trawl.webhooks.redeliver(webhookId, deliveryId)
    onResent()
    await client.invalidateQueries({ queryKey: ['deliveries', webhookId] })
    return 'It is sent once more.'
  }
  return (
    <Loaded query={delivery}>
      {(data) => (
        <>
          <Panel
            title="Delivery"
            beside={
              <div className="row">
                <ActionButton act={resend}>Resend</ActionButton>
              </div>
            }
          >
            <DeliveryFacts delivery={data} />
            {data.next_attempt_at !== null && <NextAttempt at={data.next_attempt_at} />}
          </Panel>
          <DeliveryTimeline delivery={data} />
          <Panel title="Attempts">
            <Attempts attempts={data.attempts} />
          </Panel>
          <Panel title="Body">
            <Body body={data.body} />
          </Panel>
        </>
      )}
    </Loaded>
  )
}

function DeliveryFacts({ delivery }: { delivery: WebhookDeliveryDetails }) {
  const { id, event_type, job_id, status, created_at } = delivery
  const path = event_type === 'extract_completed' ? 'tasks' : 'jobs'
  const event = (
    <>
      <code>{event_type}</code> of{' '}
      <Link href={`/app/${path}/${job_id}`}>
        <code>{job_id}</code>
      </Link>
    </>
  )
  return (
    <Facts
      facts={{
        Status: <Badge tone={toneOfDelivery[status]}>{status}</Badge>,
        Event: event,
        Happened: momentText(created_at),
        'webhook-id': <code>{id}</code>,
      }}
    />
  )
}

function Attempts({ attempts }: { attempts: WebhookDeliveryDetails['attempts'] }) {
  if (attempts.length === 0) return <p className="soft">It was not sent yet.</p>
  return (
    <ol className="attempts plain-list" aria-label="Attempts">
      {attempts.map((attempt) => (
        <li key={attempt.number}>
          <div className="row">
            <strong>Attempt {attempt.number}</strong>
            <Badge tone={attempt.error === null ? 'good' : 'bad'}>
              {attempt.http_status ?? 'no answer'}
            </Badge>
            <span className="soft small">
              {momentText(attempt.started_at)}, took {durationText(attempt.duration_ms)}
            </span>
          </div>
          {attempt.error !== null && <p className="fault">{attempt.error}</p>}
          {attempt.response_excerpt !== null && (
            <pre className="long-text">{attempt.response_excerpt}</pre>
          )}
        </li>
      ))}
    </ol>
  )
}

/** A body may have megabytes, which a page cannot draw at once. */
const drawnLengthMax = 20_000

function Body({ body }: { body: string | null }) {
  if (body === null) return <p className="soft">The result is no longer kept.</p>
  return (
    <div className="delivery-body long-text">
      <CodeBlock label="Body that is posted" text={body.slice(0, drawnLengthMax)} />
      {body.length > drawnLengthMax && (
        <p className="soft small">
          The beginning; the whole body has about {bytesText(body.length)}.
        </p>
      )}
    </div>
  )
}

/** Counts down to the next attempt. A timer is not read out by itself. */
function NextAttempt({ at }: { at: string }) {
  const nowMs = useNow(true)
  return (
    <p role="timer" className="number">
      Next attempt {countdownText(Date.parse(at) - nowMs)}
    </p>
  )
}

const title = 'Delivery timeline'

const outcomes: Record<MarkKind, string> = {
  event: 'it happened',
  delivered: 'delivered',
  failed: 'failed',
  next: 'to come',
}

/** When a delivery was tried and will be tried, seen from its event. */
function DeliveryTimeline({ delivery }: { delivery: WebhookDeliveryDetails }) {
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

const circle = 'M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0Z'

const marks: Record<MarkKind, { d: string; stroke: string; fill?: string }> = {
  event: { d: 'M0 -9V9', stroke: 'var(--ink)' },
  delivered: { d: circle, stroke: 'var(--good)', fill: 'var(--good)' },
  failed: { d: 'M-5 -5L5 5M5 -5L-5 5', stroke: 'var(--bad)' },
  next: { d: circle, stroke: 'var(--accent)', fill: 'var(--surface)' },
}

/** A dot, a cross or a ring: the shape alone says what it is. */
const DeliveryMark = ({ kind }: { kind: MarkKind }) => <path strokeWidth={2} {...marks[kind]} />

/** The time, a second after the other while somebody needs it. */
function useNow(isRunning: boolean): number {
  const [nowMs, setNowMs] = useState(Date.now)
  useEffect(() => {
    if (!isRunning) return
    setNowMs(Date.now())
    const timer = setInterval(() => setNowMs(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [isRunning])
  return nowMs
}
