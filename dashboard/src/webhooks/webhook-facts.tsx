import type { Webhook } from '@trawl/sdk'
import { Link } from 'wouter'
import { Badge } from '../parts/badge.tsx'
import { momentText } from '../parts/moment-text.ts'
import { Panel } from '../parts/panel.tsx'
import { eventNames } from './event-names.ts'
import { usePauseReason } from './use-pause-reason.ts'
import { WebhookActions } from './webhook-actions.tsx'

/** What a webhook is, and what can be done with it. */
export function WebhookFacts({ webhook, onResent }: { webhook: Webhook; onResent: () => void }) {
  const reason = usePauseReason(webhook)
  return (
    <Panel title="Settings" beside={<Link href="/app/webhooks">All webhooks</Link>}>
      <dl className="facts">
        <dt>URL</dt>
        <dd className="webhook-url">{webhook.url}</dd>
        <dt>Event</dt>
        <dd>{eventNames[webhook.event_type]}</dd>
        {webhook.description && (
          <>
            <dt>Description</dt>
            <dd className="webhook-url">{webhook.description}</dd>
          </>
        )}
        <dt>State</dt>
        <dd>
          {reason === undefined ? (
            <Badge tone="good">active</Badge>
          ) : (
            <>
              <Badge tone="warn">paused</Badge> {reason}
            </>
          )}
        </dd>
        <dt>Created</dt>
        <dd>{momentText(webhook.created_at)}</dd>
        <dt>Changed</dt>
        <dd>{momentText(webhook.updated_at)}</dd>
      </dl>
      <WebhookActions webhook={webhook} onResent={onResent} />
    </Panel>
  )
}
