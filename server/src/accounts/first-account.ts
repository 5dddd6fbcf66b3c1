import { join } from 'node:path'
import { crashPoint } from '../runtime/crash-point.ts'
import { removeStaleDrafts, replaceFile } from '../runtime/draft-file.ts'
import { DataFolderUnusable } from '../storage/data-folder.ts'
import type { Database } from '../storage/database.ts'
import {
  deleteStoreProperty,
  findStoreProperty,
  putStoreProperty,
} from '../storage/store-properties-table.ts'
import {
  type AccountStore,
  type Credentials,
  createFirstAccount,
  type NewAccount,
} from './accounts.ts'

/** The operator knows what he set himself; only what was generated has to be told. */
export type GeneratedCredentials = Pick<Credentials, 'username'> & Partial<Credentials>

const unshown = 'first_account_credentials'
const place = `store_properties ${unshown}`

/**
 * Makes the account of a first start and returns what was generated for it. Until somebody has been shown
 * that, it is kept sealed in the store, written in the same commit as the account: a start that is killed
 * or refused on its way leaves it to the next one. In the embedded mode it is also kept in the data
 * folder, so that the command line works with no copying.
 */
export async function prepareFirstAccount(
  store: AccountStore,
  given: NewAccount,
  dataDir: string | undefined,
): Promise<GeneratedCredentials | undefined> {
  const { db, sealer } = store
  const path = dataDir && join(dataDir, 'credentials.json')
  if (path) removeStaleDrafts(path)
  await createFirstAccount(store, given, (made) => {
    const text = JSON.stringify(generatedOnly(made, given))
    return [putStoreProperty({ name: unshown, value: sealer.seal(text, place) })]
  })
  const [sealed] = await db.run(findStoreProperty(unshown))
  if (sealed === undefined) return undefined
  const generated: GeneratedCredentials = JSON.parse(sealer.open(sealed, place))
  if (path) writeCredentials(path, generated)
  crashPoint('after_credentials_written')
  return generated
}

/** To be called once a person has been shown them: no later start shows them again. */
export async function forgetShownCredentials(db: Database): Promise<void> {
  crashPoint('after_credentials_shown')
  await db.run(deleteStoreProperty(unshown))
}

/** The file is there whole or not at all, whenever the process is killed. */
function writeCredentials(path: string, generated: GeneratedCredentials): void {
  const { username, password, apiKey, callbackSecret } = generated
  // What is undefined is left out of the file.
  const kept = { username, password, api_key: apiKey, callback_secret: callbackSecret }
  try {
    replaceFile(path, `${JSON.stringify(kept, null, 2)}\n`)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new DataFolderUnusable(
      `Cannot write ${path} (${code}). Remove what is in its place, or set TRAWL_DATA_DIR to another folder.`,
      { cause: error },
    )
  }
}

function generatedOnly(made: Credentials, given: NewAccount): GeneratedCredentials {
  const { username, ...secrets } = made
  const generated = Object.entries(secrets).filter(
    ([name]) => given[name as keyof NewAccount] === undefined,
  )
  return { username, ...Object.fromEntries(generated) }
}
