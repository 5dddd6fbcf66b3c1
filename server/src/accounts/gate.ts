import type { Account } from '../domain/account.ts'
import { Failure } from '../domain/failure.ts'
import type { Log } from '../runtime/log.ts'
import type { Database } from '../storage/database.ts'
import { AddressHolders } from './address-holders.ts'
import { GuessCounter } from './guess-counter.ts'
import { KeyHolders } from './key-holders.ts'
import { PasswordHolders } from './password-holders.ts'

/** What a caller brought along. */
export interface OfferedCredentials {
  apiKeys: readonly string[]
  /** What could not be read is wrong, not missing. */
  basic: { username: string; password: string } | 'unreadable' | undefined
  address: string
}

/** Which credentials open a family of routes. */
export interface Admission {
  byKey: boolean
  byAddress: boolean
}

export interface Gate {
  /** Names the account, or throws `UNAUTHORIZED`: the same for missing, unknown, disabled and wrong. */
  identify(offered: OfferedCredentials, admission: Admission): Account | Promise<Account>
  /** Called when this process changed a whitelist, so that the change holds at once. */
  forgetAddresses(): void
}

/** The one place that decides who is calling. A password always opens; the rest as the routes allow. */
export function createGate({ db, log }: { db: Database; log: Log }): Gate {
  const keys = new KeyHolders(db, log)
  const passwords = new PasswordHolders(db)
  const addresses = new AddressHolders(db)
  const guesses = new GuessCounter()

  return {
    identify: (offered, admission) => recall(offered, admission) ?? look(offered, admission),
    forgetAddresses: () => addresses.forget(),
  }

  /** Whoever was here lately, with one credential, is known without asking anybody. */
  function recall(
    { apiKeys, basic }: OfferedCredentials,
    { byKey }: Admission,
  ): Account | undefined {
    const [key, ...others] = byKey ? apiKeys : []
    if (key === undefined) return isReadable(basic) ? passwords.recall(basic) : undefined
    return basic === undefined && others.length === 0 ? keys.recall(key) : undefined
  }

  async function look(offered: OfferedCredentials, admission: Admission): Promise<Account> {
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
