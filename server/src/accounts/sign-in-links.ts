import { randomBytes } from 'node:crypto'
import { signInLinkMs } from '../domain/account/sign-in.ts'
import { Failure } from '../domain/failure.ts'
import type { Database } from '../storage/database.ts'
import { findAccountByUsername } from '../storage/tables/accounts.ts'
import { insertSignInLink } from '../storage/tables/sign-in-links.ts'
import { passwordMarkOf, tokenDigestOf } from './sign-in-auth.ts'

/** A link that signs a person in once, without a password. */
export type SignInLink = Awaited<ReturnType<typeof createSignInLink>>

/**
 * Creates a link to the dashboard of a service. Whoever may create one has the store, or the console of the
 * service, and so needs no password. The token is in the fragment, which no browser sends to a server.
 */
export async function createSignInLink(
  db: Database,
  { username, origin }: { username: string; origin: string },
) {
  const [account] = await db.run(findAccountByUsername(username))
  if (!account?.isEnabled) {
    throw new Failure('NOT_FOUND', `There is no account ${username}, or it is disabled.`)
  }
  const token = randomBytes(32).toString('base64url')
  const expiresAtMs = db.nowMs() + signInLinkMs
  await db.run(
    insertSignInLink({
      digest: tokenDigestOf(token),
      accountId: account.id,
      passwordMark: passwordMarkOf(account.passwordHash),
      expiresAtMs,
    }),
  )
  return { url: `${origin.replace(/\/+$/, '')}/#sign-in=${token}`, expiresAtMs }
}
