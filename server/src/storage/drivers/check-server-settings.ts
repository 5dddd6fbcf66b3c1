import type { Log } from '../../runtime/log.ts'
import type { Driver } from '../database.ts'
import { StoreRefused } from '../outages/store-refused.ts'
import { sql } from '../statement.ts'

const serverVersionMin = 15

/** Refuses an unsuitable server, and warns about settings that lose committed data in a crash. */
export async function checkServerSettings(database: Driver, log: Log): Promise<void> {
  const [settings] = await database.run(sql<Record<string, string>>`
    select current_setting('server_version_num') as server_version_num,
      current_setting('server_encoding') as server_encoding,
      current_setting('fsync') as fsync,
      current_setting('full_page_writes') as full_page_writes,
      current_setting('synchronous_commit') as synchronous_commit`)
  if (!settings) throw new StoreRefused('PostgreSQL did not return its settings.')

  if (Number(settings['server_version_num']) < serverVersionMin * 10_000) {
    throw new StoreRefused(`PostgreSQL ${serverVersionMin} or newer is required.`)
  }
  if (settings['server_encoding'] !== 'UTF8') {
    throw new StoreRefused(`The database has encoding ${settings['server_encoding']}, not UTF8.`)
  }
  for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit']) {
    if (settings[setting] === 'off') {
      log.warn({ setting }, `PostgreSQL has ${setting} off: a crash can lose what was accepted.`)
    }
  }
}
