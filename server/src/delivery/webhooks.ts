/**
 * Deliveries: callbacks, webhooks and the secrets that sign them. This folder knows where and how
 * to send; which events are sent, and their bodies, is decided above.
 */
import { randomBytes } from 'node:crypto'
import { destinationOf } from '../domain/delivery/delivery.ts'
import { generateSigningSecret } from '../domain/delivery/signing-secret.ts'
import { type Webhook, webhooksPerAccountMax } from '../domain/delivery/webhook.ts'
import { Failure } from '../domain/failure.ts'
import { type PaginatedList, type PaginationQuery, totalIfLastPage } from '../domain/pagination.ts'
import type { EgressGuard } from '../outbound/guard/egress-guard.ts'
import type { Sealer } from '../runtime/seal.ts'
import { sortableId } from '../runtime/sortable-id.ts'
import { lockAccount } from '../storage/accounts-table.ts'
import { skipPendingDeliveries } from '../storage/deliveries-table.ts'
import {
  enqueuePausedDeliveries,
  moveEntriesOfWebhook,
  removeEntriesOfWebhook,
} from '../storage/queue-entries-table.ts'
import { RequirementUnmet } from '../storage/statement.ts'
import {
  countWebhooks,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  updateWebhook,
  withinWebhookCount,
} from '../storage/webhooks-table.ts'
import { planSecretRotation, sealedSecretRow } from './signing-secrets.ts'
import {
  createWebhookDeliveries,
  requireUrl,
  type WebhookDeliveries,
  type WebhookDeliveriesParts,
} from './webhook-deliveries.ts'

/** The webhooks of an account. A webhook of another account (tenant) is not found. */
export interface Webhooks extends WebhookDeliveries {
  list(accountId: string, page: PaginationQuery): Promise<PaginatedList<Webhook>>
  create(accountId: string, fields: WebhookFields): Promise<{ webhook: Webhook; secret: string }>
  get(accountId: string, id: string): Promise<Webhook>
  update(accountId: string, id: string, change: WebhookChanges): Promise<Webhook>
  delete(accountId: string, id: string): Promise<void>
  rotateSecret(accountId: string, id: string): Promise<string>
}

type WebhookFields = Pick<Webhook, 'url' | 'eventType' | 'description' | 'isActive'>

type WebhookChanges = { [Field in keyof WebhookFields]?: WebhookFields[Field] | undefined }

export interface WebhooksParts extends WebhookDeliveriesParts {
  sealer: Sealer
  guard: EgressGuard
}

export function createWebhooks(parts: WebhooksParts): Webhooks {
  const { db, sealer, guard } = parts
  return {
    ...createWebhookDeliveries(parts),
    async list(accountId, page) {
      const items = await db.run(listWebhooks(sealer, accountId, page))
      const totalCount = totalIfLastPage(items.length, page)
      if (totalCount !== undefined) return { items, totalCount }
      const [counted = 0] = await db.run(countWebhooks(accountId))
      return { items, totalCount: counted }
    },
    async create(accountId, fields) {
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
    get: getWebhook,
    async update(accountId, id, change) {
      if (change.url !== undefined) guard.requireAllowedUrl(change.url, 'callback')
      const before = await getWebhook(accountId, id)
      const url = change.url ?? requireUrl(before)
      const changed = updateWebhook(sealer, { id, accountId, ...change, nowMs: db.nowMs() })
      const destination = { accountId, concurrencyKey: destinationOf(url) }
      const resumed = change.isActive ? [enqueuePausedDeliveries(id, destination)] : []
      const [webhooks] = await db.transaction([changed, ...resumed] as const)
      if (change.url !== undefined) {
        if (!before.isUnreadable) {
          await parts.deliveries.releasePrefetched(destinationOf(before.url))
        }
        await db.run(moveEntriesOfWebhook(id, destination))
      }
      if (change.url !== undefined || change.isActive) parts.deliveries.wake()
      return found(webhooks)
    },
    async delete(accountId, id) {
      try {
        await db.transaction([
          deleteWebhook({ id, accountId }).required('webhook'),
          removeEntriesOfWebhook(id),
          skipPendingDeliveries(id, db.nowMs()),
        ])
      } catch (error) {
        throw error instanceof RequirementUnmet ? missing() : error
      }
    },
    async rotateSecret(accountId, id) {
      const owner = { accountId, webhookId: id }
      const { secret, statements } = planSecretRotation(sealer, owner, db.nowMs())
      const touched = updateWebhook(sealer, { id, accountId, nowMs: db.nowMs() }).required(
        'webhook',
      )
      try {
        await db.transaction([touched, ...statements])
      } catch (error) {
        throw error instanceof RequirementUnmet ? missing() : error
      }
      return secret
    },
  }

  async function getWebhook(accountId: string, id: string): Promise<Webhook> {
    return found(await db.run(findWebhook(sealer, { id, accountId })))
  }
}

function found<Row>([row]: Row[]): Row {
  if (row === undefined) throw missing()
  return row
}

const missing = () => new Failure('NOT_FOUND', 'There is no such webhook.')

const tooMany = () =>
  new Failure(
    'CONFLICT',
    `An account may have ${webhooksPerAccountMax} webhooks. Delete one first.`,
  )
