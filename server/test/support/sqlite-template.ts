import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createLog } from '../../src/runtime/log.ts'
import { openDatabase } from '../../src/storage/open-database.ts'
import { makeScratchFolder } from './scratch-folder.ts'

const variable = 'TRAWL_TEST_SQLITE_TEMPLATE'
const fileName = 'trawl.db'

/** A file that has our schema and no rows, for the run as a whole: copying it beats migrating. */
export async function createSqliteTemplate(): Promise<AsyncDisposable> {
  const folder = await makeScratchFolder()
  const log = createLog({ level: 'silent', isPretty: false })
  const migrated = await openDatabase({ url: undefined, dataDir: folder.path, log })
  await migrated[Symbol.asyncDispose]()
  process.env[variable] = join(folder.path, fileName)
  return folder
}

/** Does nothing when a test file is run by hand: its stores are migrated. */
export async function copySqliteTemplate(dataDir: string): Promise<void> {
  const template = process.env[variable]
  if (template) await copyFile(template, join(dataDir, fileName))
}
