import { join } from 'node:path'
import { crashPoint } from '../runtime/crash-point.ts'
import { removeStaleDrafts, replaceFile } from '../runtime/files/atomic-write.ts'
import { DataFolderUnusable } from '../storage/data-folder.ts'
import type { Database } from '../storage/database.ts'
import {
  deleteStoreProperty,
  findStoreProperty,
  putStoreProperty,
} from '../storage/tables/store-properties.ts'
import {
  type AccountStore,
  type Credentials,
  createFirstAccount,
  type NewAccount,
} from './accounts.ts'

/** Only generated credentials have to be shown; the operator knows those from the settings. */
export type GeneratedCredentials = Pick<Credentials, 'username'> & Partial<Credentials>

const propertyName = 'first_account_credentials'
const sealContext = `store_properties ${propertyName}`

/**
 * Creates the first account and returns the credentials that were generated for it. The store keeps them
 * encrypted until they were shown, written in the same transaction as the account: if this start fails or
 * is killed, the next one shows them. The embedded mode also writes them to the data folder, so that the
 * command line finds them there.
 */
export async function prepareFirstAccount(
  store: AccountStore,
  given: NewAccount,
  dataDir: string | undefined,
): Promise<GeneratedCredentials | undefined> {
  const { db, sealer } = store
  const path = dataDir && join(dataDir, 'credentials.json')
  if (path) removeStaleDrafts(path)
  await createFirstAccount(store, given, (created) => {
    const text = JSON.stringify(generatedOnly(created, given))
    return [putStoreProperty({ name: propertyName, value: sealer.seal(text, sealContext) })]
  })
  const [sealed] = await db.run(findStoreProperty(propertyName))
  if (sealed === undefined) return undefined
  const generated: GeneratedCredentials = JSON.parse(sealer.open(sealed, sealContext))
  if (path) writeCredentials(path, generated)
  crashPoint('after_credentials_written')
  return generated
}

/** Called after the credentials were printed; no later start prints them again. */
export async function forgetShownCredentials(db: Database): Promise<void> {
  crashPoint('after_credentials_shown')
  await db.run(deleteStoreProperty(propertyName))
}

/** Writes the file atomically: a killed process leaves the whole file or none. */
function writeCredentials(path: string, generated: GeneratedCredentials): void {
  const { username, password, apiKey, callbackSecret } = generated
  // JSON.stringify leaves out what is undefined.
  const content = { username, password, api_key: apiKey, callback_secret: callbackSecret }
  try {
    replaceFile(path, `${JSON.stringify(content, null, 2)}\n`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new DataFolderUnusable(
      `Cannot write ${path} (${code}). Remove what is in its place, or set TRAWL_DATA_DIR to another folder.`,
      { cause: error },
    )
  }
}

function generatedOnly(created: Credentials, given: NewAccount): GeneratedCredentials {
  const { username, ...secrets } = created
  const generated = Object.entries(secrets).filter(
    ([name]) => given[name as keyof NewAccount] === undefined,
  )
  return { username, ...Object.fromEntries(generated) }
}
