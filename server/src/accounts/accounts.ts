/**
 * Accounts (tenants) and how they authenticate: passwords, API keys, callback secrets and whitelisted
 * addresses. The store has passwords and keys as hashes, secrets encrypted. These functions work on the
 * store directly, so the command line can use them beside a running service.
 */

import { randomBytes } from 'node:crypto'
import { planSecretRotation, sealedSecretRow } from '../delivery/signing-secrets.ts'
import type { Account } from '../domain/account/account.ts'
import { formatApiKey } from '../domain/account/api-key.ts'
import { generateSigningSecret } from '../domain/delivery/signing-secret.ts'
import { Failure } from '../domain/failure.ts'
import { crashPoint } from '../runtime/crash-point.ts'
import { sortableId } from '../runtime/sortable-id.ts'
import { ConstraintViolated } from '../storage/constraint-violated.ts'
import type { Database } from '../storage/database.ts'
import type { KeyedStore } from '../storage/secrets/key-rotation.ts'
import { RequirementUnmet, type Statement } from '../storage/statement.ts'
import {
  findAccountByUsername,
  findFirstAccountId,
  insertAccount,
  insertFirstAccount,
  listAccounts,
  setAccountEnabled,
  setPasswordHash,
} from '../storage/tables/accounts.ts'
import { putStoreProperty } from '../storage/tables/store-properties.ts'
import { keyRow } from './api-keys.ts'
import { hashPassword } from './password.ts'

export interface NewAccount {
  username: string
  password?: string | undefined
  apiKey?: string | undefined
  callbackSecret?: string | undefined
}

/** All credentials of an account in clear text. They exist only while the account is created. */
export interface Credentials {
  username: string
  password: string
  apiKey: string
  callbackSecret: string
}

export type AccountStore = Pick<KeyedStore, 'db' | 'sealer'>

export async function createAccount(store: AccountStore, given: NewAccount): Promise<Credentials> {
  if (!validUsername.test(given.username)) {
    throw new Failure('VALIDATION_ERROR', 'A user name has 1 to 255 characters and no colon.')
  }
  try {
    return await insertWith(store, given, (row) => [insertAccount(row)])
  } catch (error) {
    if (error instanceof ConstraintViolated && error.kind === 'unique') {
      throw new Failure('CONFLICT', 'An account with this name or this key exists already.', {
        cause: error,
      })
    }
    throw error
  }
}

// HTTP Basic ends the name at the first colon. Control characters would break stores and terminals.
const validUsername = /^[^:\p{Cc}\p{Cs}]{1,255}$/u

/**
 * Creates the first account of an empty store, or returns undefined when an account exists already. The
 * statements that `alsoWrite` returns are written in the same transaction.
 */
export async function createFirstAccount(
  store: AccountStore,
  given: NewAccount,
  alsoWrite: (created: Credentials) => Statement<unknown>[] = () => [],
): Promise<Credentials | undefined> {
  // This check spares every later start the hashing of a password.
  if ((await store.db.run(listAccounts())).length > 0) return undefined
  try {
    const created = await insertWith(store, given, (row, credentials) => {
      crashPoint('before_first_account_commit')
      return [
        // First: of two concurrent starts the second waits here, and then sees the account of the first.
        putStoreProperty({ name: 'first_account', value: row.id }),
        insertFirstAccount(row).required('no account'),
        ...alsoWrite(credentials),
      ]
    })
    crashPoint('after_first_account_commit')
    return created
  } catch (error) {
    if (error instanceof RequirementUnmet) return undefined
    throw error
  }
}

/** Otherwise the next account would be the operator, and a tenant would see the whole service. */
export async function requireFirstAccount(db: Database): Promise<void> {
  if ((await db.run(findFirstAccountId())).length > 0) return
  throw new Failure(
    'CONFLICT',
    'The store has no account yet, and the first one is the operator, who sees the whole service. Start the service once, which creates it, and run this again.',
  )
}

export async function getAccount(db: Database, username: string): Promise<Account> {
  return found(await db.run(findAccountByUsername(username)), username)
}

export async function enableAccount(
  db: Database,
  username: string,
  isEnabled: boolean,
): Promise<void> {
  found(await db.run(setAccountEnabled({ username, isEnabled })), username)
}

/** Sets the given password, or generates one, and returns it. */
export async function changePassword(
  db: Database,
  username: string,
  given?: string,
): Promise<string> {
  const password = given ?? generatePassword()
  const passwordHash = await hashPassword(password)
  found(await db.run(setPasswordHash({ username, passwordHash })), username)
  return password
}

export async function rotateCallbackSecret(
  { db, sealer }: AccountStore,
  username: string,
): Promise<string> {
  const { id: accountId } = await getAccount(db, username)
  const { secret, statements } = planSecretRotation(sealer, { accountId }, db.nowMs())
  await db.transaction(statements)
  return secret
}

async function insertWith(
  { db, sealer }: AccountStore,
  given: NewAccount,
  accountRows: (
    row: Account & { passwordHash: string },
    credentials: Credentials,
  ) => Statement<unknown>[],
): Promise<Credentials> {
  const { username, password = generatePassword() } = given
  const apiKey = given.apiKey ?? formatApiKey(randomBytes(32))
  const callbackSecret = given.callbackSecret ?? generateSigningSecret(randomBytes(32))
  const passwordHash = await hashPassword(password)
  const nowMs = db.nowMs()
  const account = {
    id: sortableId(),
    username,
    isEnabled: true,
    createdAtMs: nowMs,
    passwordHash,
  }
  const credentials = { username, password, apiKey, callbackSecret }
  await db.transaction([
    ...accountRows(account, credentials),
    keyRow({ accountId: account.id, id: sortableId(), key: apiKey, nowMs }),
    sealedSecretRow(sealer, { accountId: account.id, secret: callbackSecret, nowMs }),
  ])
  return credentials
}

function found<Row>([row]: Row[], username: string): Row {
  if (row === undefined) throw new Failure('NOT_FOUND', `There is no account ${username}.`)
  return row
}

// 128 bits as 22 characters that need no escaping in a URL.
const generatePassword = (): string => randomBytes(16).toString('base64url')
