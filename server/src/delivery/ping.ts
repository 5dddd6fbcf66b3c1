import type { HttpClient } from '../outbound/client/http-client.ts'
import { isoTime } from '../runtime/iso-time.ts'
import { sortableId } from '../runtime/sortable-id.ts'
import type { Database } from '../storage/database.ts'
import { type Sent, sendMessage } from './send-message.ts'
import type { Signer } from './signer.ts'

export interface PingParts {
  db: Database
  client: HttpClient
  sign: Signer
}

// Longer than the limits for DNS, connection, TLS, headers and body together.
const pingMsMax = 60_000

/** Sends a test event to a webhook, so that its owner sees what arrives. */
export async function ping(
  { db, client, sign }: PingParts,
  webhook: { webhookId: string; accountId: string; url: string },
): Promise<Sent> {
  const id = sortableId()
  const nowMs = db.nowMs()
  const event = {
    event: 'ping',
    webhook_id: webhook.webhookId,
    delivery_id: id,
    timestamp: isoTime(nowMs),
    data: {},
  }
  const body = Buffer.from(JSON.stringify(event))
  const message = {
    id,
    accountId: webhook.accountId,
    subjectId: id,
    body,
    webhook: { id: webhook.webhookId, eventName: 'ping' },
  }
  const headers = await sign(message, nowMs)
  const signal = AbortSignal.timeout(pingMsMax)
  return sendMessage(client, { ...webhook, headers, body, nowMs }, signal)
}
