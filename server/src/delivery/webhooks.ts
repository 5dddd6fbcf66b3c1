/**
 * Deliveries: callbacks, webhooks and the secrets that sign them. This folder knows where and how
 * to send; which events are sent, and their bodies, is decided above.
 */
import { randomBytes } from 'node:crypto'
import { destinationOf } from '../domain/delivery/delivery.ts'
import { generateSigningSecret } from '../domain/delivery/signing-secret.ts'
import { type Webhook, webhooksPerAccountMax } from '../domain/delivery/webhook.ts'
import { Failure } from '../domain/failure.ts'
import type { EgressGuard } from '../outbound/guard/egress-guard.ts'
import type { Sealer } from '../runtime/crypto/seal.ts'
import { sortableId } from '../runtime/sortable-id.ts'
import { RequirementUnmet } from '../storage/statement.ts'
import { lockAccount } from '../storage/tables/accounts.ts'
import {
  countWebhooks,
  deleteWebhook,
  insertWebhook,
  listWebhooks,
  updateWebhook,
  withinWebhookCount,
} from '../storage/tables/webhooks.ts'
import type { WritingTurns } from '../storage/writing-turns.ts'
import { type PaginationQuery, withTotal } from '../wire/pagination.ts'
import { planSecretRotation, sealedSecretRow } from './signing-secrets.ts'
import { changeUnsent, planMove, planResumption, planSkip } from './unsent-deliveries.ts'
import {
  createWebhookDeliveries,
  getWebhook,
  noWebhook,
  requireUrl,
  type WebhookDeliveries,
  type WebhookDeliveriesParts,
} from './webhook-deliveries.ts'

export type Webhooks = ReturnType<typeof createWebhooks>

type WebhookFields = Pick<Webhook, 'url' | 'eventType' | 'description' | 'isActive'>

type WebhookChanges = { [Field in keyof WebhookFields]?: WebhookFields[Field] | undefined }

export interface WebhooksParts extends WebhookDeliveriesParts {
  sealer: Sealer
  guard: EgressGuard
  /** A webhook may have any number of deliveries. */
  writingTurns: WritingTurns
}

/** The webhooks of an account. A webhook of another account (tenant) is not found. */
export function createWebhooks(parts: WebhooksParts) {
  const { db, sealer, guard, deliveries, writingTurns: turns } = parts
  const webhookDeliveries: WebhookDeliveries = createWebhookDeliveries(parts)
  return {
    ...webhookDeliveries,
    async list(accountId: string, page: PaginationQuery) {
      const items = await db.run(listWebhooks(sealer, accountId, page))
      return withTotal(items, page, () => db.run(countWebhooks(accountId)))
    },
    async create(accountId: string, fields: WebhookFields) {
      guard.requireAllowedUrl(fields.url, 'callback')
      const nowMs = db.nowMs()
      const secret = generateSigningSecret(randomBytes(32))
      const webhook = { ...fields, id: sortableId(), createdAtMs: nowMs, updatedAtMs: nowMs }
      try {
        await db.transaction([
          lockAccount(accountId),
          insertWebhook(sealer, { ...webhook, accountId }),
          withinWebhookCount(accountId, webhooksPerAccountMax).required('webhook count'),
          sealedSecretRow(sealer, { accountId, webhookId: webhook.id, secret, nowMs }),
        ])
      } catch (error) {
        throw error instanceof RequirementUnmet ? tooMany() : error
      }
      return { webhook, secret }
    },
    get: (accountId: string, id: string) => getWebhook(parts, { id, accountId }),
    update: (accountId: string, id: string, change: WebhookChanges) =>
      turns.take(accountId, () => update(accountId, id, change)),
    delete: (accountId: string, id: string) =>
      turns.take(accountId, () => deleteWithUnsent(accountId, id)),
    recover: (accountId: string, id: string, sinceMs: number) =>
      turns.take(accountId, () => webhookDeliveries.recover(accountId, id, sinceMs)),
    async rotateSecret(accountId: string, id: string) {
      const owner = { accountId, webhookId: id }
      const { secret, statements } = planSecretRotation(sealer, owner, db.nowMs())
      const touched = updateWebhook(sealer, { id, accountId, nowMs: db.nowMs() }).required(
        'webhook',
      )
      try {
        await db.transaction([touched, ...statements])
      } catch (error) {
        throw error instanceof RequirementUnmet ? noWebhook() : error
      }
      return secret
    },
  }

  async function update(accountId: string, id: string, change: WebhookChanges): Promise<Webhook> {
    if (change.url !== undefined) guard.requireAllowedUrl(change.url, 'callback')
    const before = await getWebhook(parts, { id, accountId })
    const to = { accountId, concurrencyKey: destinationOf(change.url ?? requireUrl(before)) }
    const changed = { id, accountId, ...change, nowMs: db.nowMs() }
    const webhook = found(await db.run(updateWebhook(sealer, changed)))
    const isMoved = change.url !== undefined
    if (!isMoved && !change.isActive) return webhook
    if (isMoved && !before.isUnreadable) {
      await deliveries.releasePrefetched(destinationOf(before.url))
    }
    await changeUnsent(db, id, (unsent) => [
      ...(isMoved ? planMove(unsent, to) : []),
      ...(change.isActive ? planResumption(deliveries, unsent, to) : []),
    ])
    deliveries.wake()
    return webhook
  }

  async function deleteWithUnsent(accountId: string, id: string): Promise<void> {
    found(await db.run(deleteWebhook({ id, accountId })))
    await changeUnsent(db, id, (unsent) => planSkip(unsent, db.nowMs()))
  }
}

function found<Row>([row]: Row[]): Row {
  if (row === undefined) throw noWebhook()
  return row
}

const tooMany = () =>
  new Failure(
    'CONFLICT',
    `An account may have ${webhooksPerAccountMax} webhooks. Delete one first.`,
  )
