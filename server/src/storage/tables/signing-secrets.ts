import { sql } from '../statement.ts'

/** A secret signs an account's callbacks, or the events of one of its webhooks. */
export interface SecretOwner {
  accountId: string
  webhookId?: string | undefined
}

export const insertSigningSecret = (
  secret: SecretOwner & { id: string; sealed: string; nowMs: number },
) =>
  sql<never>`
    insert into signing_secrets (id, account_id, webhook_id, sealed, created_at_ms)
    values (${secret.id}, ${secret.accountId}, ${secret.webhookId ?? null}, ${secret.sealed}, ${secret.nowMs})`

/** Sets an expiry on the current secrets, so that a new one is used beside them for a while. */
export const expireSigningSecrets = (owner: SecretOwner & { expiresAtMs: number }) =>
  sql<never>`
    update signing_secrets
    set expires_at_ms = ${owner.expiresAtMs}
    where account_id = ${owner.accountId} and expires_at_ms is null
      and coalesce(webhook_id, '') = ${owner.webhookId ?? ''}`

/** Leaves the newest ones: every message is signed with all that are valid. */
export const dropOldSigningSecrets = (owner: SecretOwner & { keptCount: number }) =>
  sql<never>`
    delete from signing_secrets
    where account_id = ${owner.accountId} and coalesce(webhook_id, '') = ${owner.webhookId ?? ''}
      and id not in (
        select id from signing_secrets
        where account_id = ${owner.accountId} and coalesce(webhook_id, '') = ${owner.webhookId ?? ''}
        order by created_at_ms desc, id desc
        limit ${owner.keptCount})`.inTurnOf(owner.accountId)

/** Newest first; includes expired secrets. */
export const listSigningSecrets = (owner: SecretOwner) =>
  sql<{ id: string; sealed: string; expiresAtMs: number | null }>`
    select id, sealed, expires_at_ms as "expiresAtMs"
    from signing_secrets
    where account_id = ${owner.accountId} and coalesce(webhook_id, '') = ${owner.webhookId ?? ''}
    order by created_at_ms desc, id desc`.quick()
