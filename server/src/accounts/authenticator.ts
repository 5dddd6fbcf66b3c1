import type { Account } from '../domain/account/account.ts'
import { Failure } from '../domain/failure.ts'
import type { Log } from '../runtime/log.ts'
import type { Database } from '../storage/database.ts'
import { ApiKeyAuth } from './api-key-auth.ts'
import { GuessCounter } from './guess-counter.ts'
import { IpAuth } from './ip-auth.ts'
import { PasswordAuth } from './password-auth.ts'
import { type FoundSignIn, SignInAuth } from './sign-in-auth.ts'

/** The credentials that came with a request, not verified yet. */
export interface OfferedCredentials {
  apiKeys: readonly string[]
  /** An `Authorization` header that cannot be parsed counts as wrong, not as missing. */
  basic: { username: string; password: string } | 'unreadable' | undefined
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
  const keys = new ApiKeyAuth(db, log)
  const passwords = new PasswordAuth(db)
  const signIns = new SignInAuth(db, log)
  const addresses = new IpAuth(db)
  const guesses = new GuessCounter()

  return {
    /** Throws the same `UNAUTHORIZED` for missing, unknown, disabled and wrong credentials. */
    authenticate: (offered: OfferedCredentials, methods: AuthMethods): Account | Promise<Account> =>
      findCached(offered, methods) ?? verify(offered, methods),
    /** Makes a change of a whitelist by this process take effect at once. */
    clearIpCache: (): void => addresses.clearCache(),
    /** The hash that a password was verified by a moment ago. */
    getVerifiedHash: (given: { username: string; password: string }) =>
      passwords.getVerifiedHash(given),
    /** Counts a wrong credential that was judged elsewhere; too many of them get `RATE_LIMITED`. */
    countGuess: (address: string): void => guesses.count(address),
    /** The session of a cookie, if it has not ended. */
    findSession: (token: string) => signIns.find(token),
    /** Makes the end of a session by this process take effect at once. */
    clearSessionCache: (): void => signIns.clearCache(),
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
