/**
 * Who may call, and with what: accounts, their passwords, API keys, callback secrets and whitelisted
 * addresses. Passwords and keys are kept as hashes, secrets sealed. Works on the store itself, so the
 * command line can use it beside a running service.
 */
import { randomBytes } from 'node:crypto'
import { planSecretRotation, sealedSecretRow } from '../delivery/signing-secrets.ts'
import type { Account } from '../domain/account/account.ts'
import { formatApiKey } from '../domain/account/api-key.ts'
import { generateSigningSecret } from '../domain/delivery/signing-secret.ts'
import { Failure } from '../domain/failure.ts'
import { crashPoint } from '../runtime/crash-point.ts'
import type { Sealer } from '../runtime/seal.ts'
import { sortableId } from '../runtime/sortable-id.ts'
import {
  findAccountByUsername,
  insertAccount,
  insertFirstAccount,
  listAccounts,
  setAccountEnabled,
  setPasswordHash,
} from '../storage/accounts-table.ts'
import { ConstraintViolated } from '../storage/constraint-violated.ts'
import type { Database } from '../storage/database.ts'
import { RequirementUnmet, type Statement } from '../storage/statement.ts'
import { putStoreProperty } from '../storage/store-properties-table.ts'
import { keyRow } from './api-keys.ts'
import { hashPassword } from './password.ts'

export interface NewAccount {
  username: string
  password?: string | undefined
  apiKey?: string | undefined
  callbackSecret?: string | undefined
}

/** Everything that opens an account, in clear; exists only at the moment it is made. */
export interface Credentials {
  username: string
  password: string
  apiKey: string
  callbackSecret: string
}

/** What the use cases of this folder work on. */
export interface AccountStore {
  db: Database
  sealer: Sealer
}

export async function createAccount(store: AccountStore, given: NewAccount): Promise<Credentials> {
  if (!sendableName.test(given.username)) {
    throw new Failure('VALIDATION_ERROR', 'A user name has 1 to 255 characters and no colon.')
  }
  try {
    return await insertWith(store, given, (row) => [insertAccount(row)])
  } catch (error) {
    if (error instanceof ConstraintViolated && error.kind === 'unique') {
      throw new Failure('CONFLICT', 'There is such an account or such a key already.', {
        cause: error,
      })
    }
    throw error
  }
}

// HTTP Basic ends the name at the first colon; the rest is about stores, terminals and logs.
const sendableName = /^[^:\p{Cc}\p{Cs}]{1,255}$/u

/**
 * Makes the first account of an empty store; undefined where there is one already. What `besides` returns
 * is written in the same commit.
 */
export async function createFirstAccount(
  store: AccountStore,
  given: NewAccount,
  besides: (made: Credentials) => Statement<unknown>[] = () => [],
): Promise<Credentials | undefined> {
  // Looked at first, so that a start does not hash a password for nothing.
  if ((await store.db.run(listAccounts())).length > 0) return undefined
  try {
    const made = await insertWith(store, given, (row, credentials) => {
      crashPoint('before_first_account_commit')
      return [
        // Written first: of two starters the second waits here, and then sees the account of the first.
        putStoreProperty({ name: 'first_account', value: row.id }),
        insertFirstAccount(row).required('no account'),
        ...besides(credentials),
      ]
    })
    crashPoint('after_first_account_commit')
    return made
  } catch (error) {
    if (error instanceof RequirementUnmet) return undefined
    throw error
  }
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

/** Answers with the password that holds from now on: the one given, or a generated one. */
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

// 128 bits in 22 characters that survive any keyboard and any URL.
const generatePassword = (): string => randomBytes(16).toString('base64url')
