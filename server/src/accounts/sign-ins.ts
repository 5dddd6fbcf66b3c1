import { randomBytes } from 'node:crypto'
import { digestOf } from '../domain/account/api-key.ts'
import { signInsMax } from '../domain/account/sign-in.ts'
import { Failure } from '../domain/failure.ts'
import type { Database } from '../storage/database.ts'
import { findApiKeyOwner } from '../storage/tables/api-keys.ts'
import { takeSignInLink } from '../storage/tables/sign-in-links.ts'
import { deleteSignIn, evictSignIns, insertSignIn } from '../storage/tables/sign-ins.ts'
import type { Authenticator } from './authenticator.ts'
import type { Login } from './password-verifier.ts'
import { passwordMarkOf, tokenDigestOf } from './sign-in-auth.ts'

type LastingCredential = Login | { apiKey: string }

export type SignInCredential = LastingCredential | { linkToken: string }

/** Whose session it is, and the credential that it ends with. */
interface SessionOwner {
  accountId: string
  apiKeyId: string | null
  passwordMark: string | null
}

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
      const owner =
        'linkToken' in credential
          ? await takeLink(credential.linkToken, address)
          : await verify(credential, address)
      const token = randomBytes(32).toString('base64url')
      const { accountId } = owner
      const isByKey = owner.apiKeyId !== null
      await db.transaction([
        insertSignIn({ ...owner, digest: tokenDigestOf(token), nowMs: db.nowMs() }),
        evictSignIns({ accountId, isByKey, keptMax: signInsMax }),
      ])
      return token
    },

    async end(token: string): Promise<void> {
      await db.run(deleteSignIn(tokenDigestOf(token)))
      authenticator.clearSessionCache()
    },
  }

  /** A link ends with the password that the account had when it was made, and so does its session. */
  async function takeLink(token: string, address: string): Promise<SessionOwner> {
    const [link] = await db.run(takeSignInLink(tokenDigestOf(token), db.nowMs()))
    if (!link || link.passwordMark !== passwordMarkOf(link.passwordHash ?? '')) {
      authenticator.countGuess(address)
      throw unauthorized()
    }
    return { accountId: link.accountId, apiKeyId: null, passwordMark: link.passwordMark }
  }

  async function verify(credential: LastingCredential, address: string): Promise<SessionOwner> {
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
    if (!bound) throw unauthorized()
    return { accountId, ...bound }
  }

  /**
   * What ends with the credential. A password may have been found right in a cache, by a hash that has
   * just been replaced: a session that is bound to that hash is over at once.
   */
  async function boundTo(
    credential: LastingCredential,
  ): Promise<Omit<SessionOwner, 'accountId'> | undefined> {
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

const unauthorized = () => new Failure('UNAUTHORIZED', 'Credentials are missing or wrong.')
