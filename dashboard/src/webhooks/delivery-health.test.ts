import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WebhookDelivery } from '@trawl/sdk'
import { healthText, pauseReason } from './delivery-health.ts'

const delivery = (
  status: WebhookDelivery['status'],
  http_status: number | null = null,
): WebhookDelivery => ({
  id: 'a',
  event_type: 'extract_completed',
  job_id: 'b',
  attempt_number: 1,
  status,
  http_status,
  delivered_at: null,
  created_at: '2026-03-01T12:00:00.000Z',
})

test('the health of a webhook counts what did not arrive by its status', () => {
  assert.equal(healthText([]), 'Nothing sent yet')
  assert.equal(healthText([delivery('delivered')]), '1 of 1 delivered')
  assert.equal(
    healthText([
      delivery('pending'),
      delivery('failed'),
      delivery('delivered'),
      delivery('failed'),
    ]),
    '1 of 4 delivered, 1 pending, 2 failed',
  )
})

test('a paused webhook says so, and that its receiver is gone if that is why', () => {
  assert.equal(pauseReason({ is_active: true }, [delivery('failed', 410)]), undefined)
  assert.match(pauseReason({ is_active: false }, [delivery('failed', 410)]) ?? '', /410/)
  assert.doesNotMatch(pauseReason({ is_active: false }, [delivery('failed', 500)]) ?? '', /410/)
})
