import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type AccountStore,
  type Credentials,
  createFirstAccount,
  type NewAccount,
} from './accounts.ts'

/** The operator knows what he set himself; only what was generated has to be told. */
export type GeneratedCredentials = Pick<Credentials, 'username'> & Partial<Credentials>

/**
 * Makes the account of a first start. In the embedded mode its credentials are kept in the data folder,
 * so that the command line works with no copying; undefined where there is an account already.
 */
export async function prepareFirstAccount(
  store: AccountStore,
  given: NewAccount,
  dataDir: string | undefined,
): Promise<GeneratedCredentials | undefined> {
  const credentials = await createFirstAccount(store, given)
  if (credentials && dataDir !== undefined) {
    const { username, password, apiKey, callbackSecret } = generatedOnly(credentials, given)
    // What is undefined is left out of the file.
    const kept = { username, password, api_key: apiKey, callback_secret: callbackSecret }
    const path = join(dataDir, 'credentials.json')
    writeFileSync(path, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 })
  }
  return credentials && generatedOnly(credentials, given)
}

function generatedOnly(made: Credentials, given: NewAccount): GeneratedCredentials {
  const { username, ...secrets } = made
  const generated = Object.entries(secrets).filter(
    ([name]) => given[name as keyof NewAccount] === undefined,
  )
  return { username, ...Object.fromEntries(generated) }
}
