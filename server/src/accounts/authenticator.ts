import type { Account } from '../domain/account/account.ts'
import { Failure } from '../domain/failure.ts'
import type { Log } from '../runtime/log.ts'
import type { Database } from '../storage/database.ts'
import { createApiKeyAuth } from './api-key-auth.ts'
import { GuessCounter } from './guess-counter.ts'
import { createIpAuth } from './ip-auth.ts'
import { createPasswordAuth } from './password-auth.ts'
import type { Login } from './password-verifier.ts'
import { createSignInAuth, type FoundSignIn } from './sign-in-auth.ts'

/** The credentials that came with a request, not verified yet. */
export interface OfferedCredentials {
  apiKeys: readonly string[]
  /** An `Authorization` header that cannot be parsed counts as wrong, not as missing. */
  basic: Login | 'unreadable' | undefined
  /** From the session cookie. It counts only where none of the above does. */
  sessionToken: string | undefined
  address: string
}

/** Which credentials a family of routes accepts beside a password and a session begun with one. */
export interface AuthMethods {
  byKey: boolean
  byAddress: boolean
}

export type Authenticator = ReturnType<typeof createAuthenticator>

/** The only place that decides who is calling. Every route accepts a password. */
export function createAuthenticator({ db, log }: { db: Database; log: Log }) {
  const keys = createApiKeyAuth(db, log)
  const passwords = createPasswordAuth(db)
  const signIns = createSignInAuth(db, log)
  const addresses = createIpAuth(db)
  const guesses = new GuessCounter()

  return {
    /** Throws the same `UNAUTHORIZED` for missing, unknown, disabled and wrong credentials. */
    authenticate: (offered: OfferedCredentials, methods: AuthMethods): Account | Promise<Account> =>
      findCached(offered, methods) ?? verify(offered, methods),
    /** Makes a change of a whitelist by this process take effect at once. */
    clearIpCache: addresses.clearCache,
    /** The hash that a password was verified by a moment ago. */
    getVerifiedHash: passwords.getVerifiedHash,
    /** Counts a wrong credential that was judged elsewhere; too many of them get `RATE_LIMITED`. */
    countGuess: (address: string): void => guesses.count(address),
    /** The session of a cookie, if it has not ended. */
    findSession: signIns.find,
    /** Makes the end of a session by this process take effect at once. */
    clearSessionCache: signIns.clearCache,
    /** Makes a key that this process revoked stop working at once, and the sessions begun with it. */
    clearKeyCache(): void {
      keys.clearCache()
      signIns.clearCache()
    },
  }

  /** A caller with a single credential that was verified lately costs no query and no promise. */
  function findCached(
    { apiKeys, basic, sessionToken }: OfferedCredentials,
    methods: AuthMethods,
  ): Account | undefined {
    const [key, ...others] = methods.byKey ? apiKeys : []
    if (key === undefined) {
      if (isReadable(basic)) return passwords.getCached(basic)
      if (basic !== undefined || sessionToken === undefined) return undefined
      return accountOf(signIns.getCached(sessionToken), methods)
    }
    return basic === undefined && others.length === 0 ? keys.getCached(key) : undefined
  }

  async function verify(offered: OfferedCredentials, methods: AuthMethods): Promise<Account> {
    const { basic, address } = offered
    const claims = methods.byKey ? offered.apiKeys.map((key) => keys.find(key)) : []
    if (isReadable(basic)) claims.push(passwords.find(basic, address))
    if (basic === 'unreadable') claims.push(Promise.resolve(undefined))
    if (claims.length === 0) {
      const account = await findWithoutClaims(offered, methods)
      if (account) return account
      throw unauthorized()
    }
    // A request with several credentials passes only when all belong to the same account.
    const [first, ...others] = await Promise.all(claims)
    if (first && others.every((other) => other?.id === first.id)) return first
    guesses.count(address)
    throw unauthorized()
  }

  /** A session that ended is no guess. Nor does the address stand in for it: that may be another account's. */
  async function findWithoutClaims(
    { sessionToken, address }: OfferedCredentials,
    methods: AuthMethods,
  ): Promise<Account | undefined> {
    if (sessionToken !== undefined) return accountOf(await signIns.find(sessionToken), methods)
    return methods.byAddress ? await addresses.find(address) : undefined
  }
}

/** A session opens what the credential opens that it was begun with. */
const accountOf = (found: FoundSignIn | undefined, { byKey }: AuthMethods): Account | undefined =>
  byKey || found?.signIn.apiKeyId === null ? found?.account : undefined

const isReadable = (basic: OfferedCredentials['basic']) =>
  basic !== undefined && basic !== 'unreadable'

const unauthorized = () => new Failure('UNAUTHORIZED', 'Credentials are missing or wrong.')
