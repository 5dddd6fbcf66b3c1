import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '../../runtime/log.ts'
import { openDatabase } from '../open-database.ts'
import { sqlValue } from '../statement.ts'

/** The SQLite schema after all migrations, so that a reader finds every table in one file. */
export async function dumpSchema(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'trawl-schema-'))
  const log = createLog({ level: 'silent', isPretty: false })
  try {
    await using database = await openDatabase({ dataDir, log })
    const objects = await database.run(sqlValue<string>`
      select sql from sqlite_schema
      where sql is not null
      order by tbl_name, case type when 'table' then 0 else 1 end, name`)
    return [header, ...objects.map((text) => `${text};\n`)].join('\n')
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

const header = '-- Generated from the migrations by `npm run generate`; not edited by hand.\n'
