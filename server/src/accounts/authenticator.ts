import type { Account } from '../domain/account/account.ts'
import { Failure } from '../domain/failure.ts'
import type { Log } from '../runtime/log.ts'
import type { Database } from '../storage/database.ts'
import { ApiKeyAuth } from './api-key-auth.ts'
import { GuessCounter } from './guess-counter.ts'
import { IpAuth } from './ip-auth.ts'
import { PasswordAuth } from './password-auth.ts'

/** The credentials that came with a request, not verified yet. */
export interface OfferedCredentials {
  apiKeys: readonly string[]
  /** An `Authorization` header that cannot be parsed counts as wrong, not as missing. */
  basic: { username: string; password: string } | 'unreadable' | undefined
  address: string
}

/** Which credentials a family of routes accepts beside a password. */
export interface AuthMethods {
  byKey: boolean
  byAddress: boolean
}

export type Authenticator = ReturnType<typeof createAuthenticator>

/** The only place that decides who is calling. Every route accepts a password. */
export function createAuthenticator({ db, log }: { db: Database; log: Log }) {
  const keys = new ApiKeyAuth(db, log)
  const passwords = new PasswordAuth(db)
  const addresses = new IpAuth(db)
  const guesses = new GuessCounter()

  return {
    /** Throws the same `UNAUTHORIZED` for missing, unknown, disabled and wrong credentials. */
    authenticate: (offered: OfferedCredentials, methods: AuthMethods): Account | Promise<Account> =>
      findCached(offered, methods) ?? verify(offered, methods),
    /** Makes a change of a whitelist by this process take effect at once. */
    clearIpCache: (): void => addresses.clearCache(),
  }

  /** A caller with a single credential that was verified lately costs no query and no promise. */
  function findCached(
    { apiKeys, basic }: OfferedCredentials,
    { byKey }: AuthMethods,
  ): Account | undefined {
    const [key, ...others] = byKey ? apiKeys : []
    if (key === undefined) return isReadable(basic) ? passwords.getCached(basic) : undefined
    return basic === undefined && others.length === 0 ? keys.getCached(key) : undefined
  }

  async function verify(offered: OfferedCredentials, methods: AuthMethods): Promise<Account> {
    const { basic, address } = offered
    const claims = methods.byKey ? offered.apiKeys.map((key) => keys.find(key)) : []
    if (isReadable(basic)) claims.push(passwords.find(basic, address))
    if (basic === 'unreadable') claims.push(Promise.resolve(undefined))
    if (claims.length === 0) {
      const account = methods.byAddress ? await addresses.find(address) : undefined
      if (account) return account
      throw unauthorized()
    }
    // A request with several credentials passes only when all belong to the same account.
    const [first, ...others] = await Promise.all(claims)
    if (first && others.every((other) => other?.id === first.id)) return first
    guesses.count(address)
    throw unauthorized()
  }
}

const isReadable = (basic: OfferedCredentials['basic']) =>
  basic !== undefined && basic !== 'unreadable'

const unauthorized = () => new Failure('UNAUTHORIZED', 'Credentials are missing or wrong.')
