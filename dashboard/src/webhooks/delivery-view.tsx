import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { WebhookDeliveryDetails } from '@trawl/sdk'
import { Link } from 'wouter'
import { trawl } from '../client.ts'
import { ActionButton, Badge } from '../parts/controls.tsx'
import { CodeBlock, Facts, Loaded, Panel } from '../parts/panel.tsx'
import { bytesText, durationText, momentText } from '../parts/value-text.ts'
import { toneOfDelivery } from './delivery-health.ts'
import { DeliveryTimeline, useNow } from './delivery-timeline.tsx'
import { countdownText } from './delivery-times.ts'
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
