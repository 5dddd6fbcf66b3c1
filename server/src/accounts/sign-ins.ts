import { randomBytes } from 'node:crypto'
import { digestOf } from '../domain/account/api-key.ts'
import { signInsMax } from '../domain/account/sign-in.ts'
import { Failure } from '../domain/failure.ts'
import { findApiKeyOwner } from '../storage/api-keys-table.ts'
import type { Database } from '../storage/database.ts'
import { deleteSignIn, evictSignIns, insertSignIn } from '../storage/sign-ins-table.ts'
import type { Authenticator } from './authenticator.ts'
import { passwordMarkOf, tokenDigestOf } from './sign-in-auth.ts'

export type SignInCredential = { username: string; password: string } | { apiKey: string }

export type SignIns = ReturnType<typeof createSignIns>

/** Sessions of people in a browser, instead of credentials with every request. */
export function createSignIns({
  db,
  authenticator,
}: {
  db: Database
  authenticator: Authenticator
}) {
  return {
    /** Verifies the credential as with any request, and returns the token of the new session. */
    async begin(credential: SignInCredential, address: string): Promise<string> {
      const { id: accountId } = await authenticator.authenticate(
        {
          apiKeys: 'apiKey' in credential ? [credential.apiKey] : [],
          basic: 'apiKey' in credential ? undefined : credential,
          sessionToken: undefined,
          address,
        },
        { byKey: true, byAddress: false },
      )
      const bound = await boundTo(credential)
      // The key was revoked, or the password changed, a moment ago.
      if (!bound) throw new Failure('UNAUTHORIZED', 'Credentials are missing or wrong.')
      const token = randomBytes(32).toString('base64url')
      const row = { digest: tokenDigestOf(token), accountId, ...bound, nowMs: db.nowMs() }
      const isByKey = bound.apiKeyId !== null
      await db.transaction([
        insertSignIn(row),
        evictSignIns({ accountId, isByKey, keptMax: signInsMax }),
      ])
      return token
    },

    async end(token: string): Promise<void> {
      await db.run(deleteSignIn(tokenDigestOf(token)))
      authenticator.clearSessionCache()
    },
  }

  /**
   * What ends with the credential. A password may have been found right in a cache, by a hash that has
   * just been replaced: a session that is bound to that hash is over at once.
   */
  async function boundTo(
    credential: SignInCredential,
  ): Promise<{ apiKeyId: string | null; passwordMark: string | null } | undefined> {
    if ('apiKey' in credential) {
      const [owner] = await db.run(findApiKeyOwner(digestOf(credential.apiKey)))
      return owner && { apiKeyId: owner.keyId, passwordMark: null }
    }
    const verifiedBy = authenticator.getVerifiedHash(credential)
    return verifiedBy === undefined
      ? undefined
      : { apiKeyId: null, passwordMark: passwordMarkOf(verifiedBy) }
  }
}
