import { signStandard, signVendor } from '../domain/delivery/webhook-signature.ts'
import { Failure } from '../domain/failure.ts'
import type { Sealer } from '../runtime/crypto/seal.ts'
import { TtlCache } from '../runtime/sharing/ttl-cache.ts'
import { version } from '../runtime/version.ts'
import type { Database } from '../storage/database.ts'
import { openColumn } from '../storage/secrets/sealed-columns.ts'
import { listSigningSecrets, type SecretOwner } from '../storage/tables/signing-secrets.ts'

interface Message {
  /** The same on every retry, so that receivers can deduplicate. */
  id: string
  accountId: string
  /** The id of the task or job that the message is about. */
  subjectId: string
  body: Uint8Array
  /** Undefined for a callback. */
  webhook: { id: string; eventName: string } | undefined
}

/** Makes the headers of a message: sender, message id, and the HMAC signatures. */
export type Signer = (message: Message, nowMs: number) => Promise<Record<string, string>>

// Caches decrypted secrets, so that not every message decrypts them.
const cacheLimits = { ttlMs: 60_000, entriesMax: 1_000 }

export function createSigner({ db, sealer }: { db: Database; sealer: Sealer }): Signer {
  const opened = new TtlCache<string>(cacheLimits)

  return async (message, nowMs) => {
    const { id, body, webhook } = message
    const secrets = await secretsOf({ accountId: message.accountId, webhookId: webhook?.id }, nowMs)
    // The webhook was deleted meanwhile; no message is sent unsigned.
    if (secrets.length === 0) throw new Failure('NOT_FOUND', 'There is no such webhook.')
    const timestampSeconds = Math.floor(nowMs / 1_000)
    const signatures = secrets.map((secret) =>
      signStandard(secret, { id, timestampSeconds, chunks: [body] }),
    )
    return {
      'content-type': 'application/json',
      'user-agent': `Trawl/${version}`,
      'webhook-id': id,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': signatures.join(' '),
      'x-request-id': message.subjectId,
      ...(webhook && {
        'x-webhook-event': webhook.eventName,
        'x-webhook-delivery-id': id,
        'x-webhook-signature': signVendor(secrets[0] ?? '', [body]),
      }),
    }
  }

  /** The newest first; during a rotation there are two. */
  async function secretsOf(owner: SecretOwner, nowMs: number): Promise<string[]> {
    const rows = await db.run(listSigningSecrets(owner))
    return rows
      .filter(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > nowMs)
      .map(({ id, sealed }) => openSecret(id, sealed, owner.accountId))
  }

  function openSecret(id: string, sealed: string, accountId: string): string {
    const known = opened.get(id)
    if (known !== undefined) return known
    const secret = openColumn(sealer, 'signing_secrets.sealed', { id, accountId }, sealed)
    opened.set(id, secret)
    return secret
  }
}
