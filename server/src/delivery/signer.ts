import { signStandard, signVendor } from '../domain/delivery/webhook-signature.ts'
import { Failure } from '../domain/failure.ts'
import type { Sealer } from '../runtime/seal.ts'
import { TtlCache } from '../runtime/ttl-cache.ts'
import { version } from '../runtime/version.ts'
import type { Database } from '../storage/database.ts'
import { openColumn } from '../storage/sealed-columns.ts'
import { listSigningSecrets, type SecretOwner } from '../storage/signing-secrets-table.ts'

interface Message {
  /** The same each time it is sent. */
  id: string
  accountId: string
  taskId: string
  body: Uint8Array
  /** Undefined for a callback. */
  webhook: { id: string; eventName: string } | undefined
}

/** The headers that a message is sent with: who sends it, which it is, and the proof of both. */
export type Signer = (message: Message, nowMs: number) => Promise<Record<string, string>>

// What is open in memory need not be opened for every message.
const openedKept = { ttlMs: 60_000, entriesMax: 1_000 }

export function createSigner({ db, sealer }: { db: Database; sealer: Sealer }): Signer {
  const opened = new TtlCache<string>(openedKept)

  return async (message, nowMs) => {
    const { id, body, webhook } = message
    const secrets = await secretsOf({ accountId: message.accountId, webhookId: webhook?.id }, nowMs)
    // Its webhook was deleted meanwhile: nothing is ever sent unsigned.
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
      'x-request-id': message.taskId,
      ...(webhook && {
        'x-webhook-event': webhook.eventName,
        'x-webhook-delivery-id': id,
        'x-webhook-signature': signVendor(secrets[0] ?? '', [body]),
      }),
    }
  }

  /** The newest first; while one is being rotated there are two. */
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
