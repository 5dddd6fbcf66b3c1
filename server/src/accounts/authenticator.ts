import type { Account } from '../domain/account/account.ts'
import { Failure } from '../domain/failure.ts'
import type { Log } from '../runtime/log.ts'
import type { Database } from '../storage/database.ts'
import { ApiKeyAuth } from './api-key-auth.ts'
import { GuessCounter } from './guess-counter.ts'
import { IpAuth } from './ip-auth.ts'
import { PasswordAuth } from './password-auth.ts'

/** What a caller brought along. */
export interface OfferedCredentials {
  apiKeys: readonly string[]
  /** What could not be read is wrong, not missing. */
  basic: { username: string; password: string } | 'unreadable' | undefined
  address: string
}

/** Which credentials open a family of routes. */
export interface AuthMethods {
  byKey: boolean
  byAddress: boolean
}

export interface Authenticator {
  /** Names the account, or throws `UNAUTHORIZED`: the same for missing, unknown, disabled and wrong. */
  authenticate(offered: OfferedCredentials, admission: AuthMethods): Account | Promise<Account>
  /** Called when this process changed a whitelist, so that the change holds at once. */
  forgetAddresses(): void
}

/** The one place that decides who is calling. A password always opens; the rest as the routes allow. */
export function createAuthenticator({ db, log }: { db: Database; log: Log }): Authenticator {
  const keys = new ApiKeyAuth(db, log)
  const passwords = new PasswordAuth(db)
  const addresses = new IpAuth(db)
  const guesses = new GuessCounter()

  return {
    authenticate: (offered, admission) => recall(offered, admission) ?? look(offered, admission),
    forgetAddresses: () => addresses.forget(),
  }

  /** Whoever was here lately, with one credential, is known without asking anybody. */
  function recall(
    { apiKeys, basic }: OfferedCredentials,
    { byKey }: AuthMethods,
  ): Account | undefined {
    const [key, ...others] = byKey ? apiKeys : []
    if (key === undefined) return isReadable(basic) ? passwords.recall(basic) : undefined
    return basic === undefined && others.length === 0 ? keys.recall(key) : undefined
  }

  async function look(offered: OfferedCredentials, admission: AuthMethods): Promise<Account> {
    const { basic, address } = offered
    const claims = admission.byKey ? offered.apiKeys.map((key) => keys.find(key)) : []
    if (isReadable(basic)) claims.push(passwords.find(basic, address))
    if (basic === 'unreadable') claims.push(Promise.resolve(undefined))
    if (claims.length === 0) {
      const holder = admission.byAddress ? await addresses.find(address) : undefined
      if (holder) return holder
      throw unauthorized()
    }
    // Two credentials are one caller only when both name the same account.
    const [first, ...others] = await Promise.all(claims)
    if (first && others.every((other) => other?.id === first.id)) return first
    guesses.count(address)
    throw unauthorized()
  }
}

const isReadable = (basic: OfferedCredentials['basic']) =>
  basic !== undefined && basic !== 'unreadable'

const unauthorized = () => new Failure('UNAUTHORIZED', 'Credentials are missing or wrong.')
