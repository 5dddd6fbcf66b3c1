import { randomBytes } from 'node:crypto'
import { generateSigningSecret, secretRetiresAfterMs } from '../domain/delivery/signing-secret.ts'
import type { Sealer } from '../runtime/crypto/seal.ts'
import { sortableId } from '../runtime/sortable-id.ts'
import { sealColumn } from '../storage/secrets/sealed-columns.ts'
import type { Statement } from '../storage/statement.ts'
import {
  dropOldSigningSecrets,
  expireSigningSecrets,
  insertSigningSecret,
  type SecretOwner,
} from '../storage/tables/signing-secrets.ts'

/** How many older secrets sign beside a new one. Without a limit, signing would take ever longer. */
const olderCount = 2

/** Makes a new secret; the previous one signs too for a while, until receivers have switched. */
export function planSecretRotation(
  sealer: Sealer,
  owner: SecretOwner,
  nowMs: number,
): { secret: string; statements: Statement<never>[] } {
  const secret = generateSigningSecret(randomBytes(32))
  return {
    secret,
    statements: [
      dropOldSigningSecrets({ ...owner, keptCount: olderCount }),
      expireSigningSecrets({ ...owner, expiresAtMs: nowMs + secretRetiresAfterMs }),
      sealedSecretRow(sealer, { ...owner, secret, nowMs }),
    ],
  }
}

/** The row of a secret, encrypted and bound to this row and account. */
export function sealedSecretRow(
  sealer: Sealer,
  { secret, ...owner }: SecretOwner & { secret: string; nowMs: number },
): Statement<never> {
  const id = sortableId()
  const sealed = sealColumn(
    sealer,
    'signing_secrets.sealed',
    { id, accountId: owner.accountId },
    secret,
  )
  return insertSigningSecret({ ...owner, id, sealed })
}
