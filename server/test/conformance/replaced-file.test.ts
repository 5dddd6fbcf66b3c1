import assert from 'node:assert/strict'
import { copyFileSync, existsSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import type { Log } from '../../src/runtime/log.ts'
import type { Database } from '../../src/storage/database.ts'
import { openDatabase } from '../../src/storage/open-database.ts'
import { isStoreUnavailable } from '../../src/storage/outages/store-unavailable.ts'
import { makeScratchFolder } from '../support/scratch-folder.ts'
import { silentLog } from '../support/test-store.ts'
import { addItem, listNames, withItems } from './items.ts'

const count = 300

test('a backup that is put in the place of the file while the service runs is whole after the next start', async (t) => {
  const { dataDir, file, log, warnings } = await scene(t)
  await withStore({ dataDir, log }, (db) => addItems(db, 'before'))
  copyFileSync(file, join(dataDir, 'backup'))

  await withStore({ dataDir, log }, async (db) => {
    await addItems(db, 'after')
    renameSync(join(dataDir, 'backup'), file)
    await assert.rejects(db.run(addItem('lost')), isStoreUnavailable)
  })
  assert(existsSync(`${file}-wal`), 'the log of the former file is left')
  const names = await withStore({ dataDir, log }, async (db) => {
    await db.run(addItem('new'))
    return db.run(listNames())
  })

  assert.deepEqual(names, [...namesOf('before'), 'new'])
  assert.equal(checkIntegrity(file), 'ok')
  assert.equal(warnings.length, 1)
  const aside = readdirSync(dataDir).filter((name) => name.startsWith('trawl.db-wal.replaced-'))
  assert.equal(aside.length, 1)
})

test('a log that was left beside its own file is read, and so is one that was restored with its file', async (t) => {
  const { dataDir, file, log, warnings } = await scene(t)
  const restored = await scene(t)
  await withStore({ dataDir, log }, (db) => addItems(db, 'before'))
  // With another connection open, the log stays as it does when the process is killed.
  using holder = new DatabaseSync(file)
  holder.prepare('select * from items').all()
  await withStore({ dataDir, log }, (db) => addItems(db, 'after'))
  assert(existsSync(`${file}-wal`))
  for (const name of readdirSync(dataDir)) {
    if (!name.endsWith('-shm')) copyFileSync(join(dataDir, name), join(restored.dataDir, name))
  }

  const all = [...namesOf('after'), ...namesOf('before')]
  for (const place of [{ dataDir, log }, restored]) {
    assert.deepEqual(await withStore(place, (db) => db.run(listNames())), all)
  }
  assert.equal(checkIntegrity(restored.file), 'ok')
  assert.deepEqual([...warnings, ...restored.warnings], [])
})

async function scene(t: TestContext) {
  const folder = await makeScratchFolder()
  t.after(() => folder[Symbol.asyncDispose]())
  const warnings: unknown[] = []
  const log: Log = Object.assign(Object.create(silentLog), {
    warn: (_: unknown, message: string) => warnings.push(message),
  })
  return { dataDir: folder.path, file: join(folder.path, 'trawl.db'), log, warnings }
}

async function withStore<Result>(
  place: { dataDir: string; log: Log },
  use: (db: Database) => Promise<Result>,
): Promise<Result> {
  await using db = await openDatabase({ ...place, ...withItems })
  return await use(db)
}

const namesOf = (prefix: string): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix} ${String(index).padStart(4, '0')}`)

const addItems = (db: Database, prefix: string) =>
  db.transaction(namesOf(prefix).map((name) => addItem(name)))

function checkIntegrity(file: string): unknown {
  using connection = new DatabaseSync(file, { readOnly: true })
  return Object.values(connection.prepare('pragma integrity_check').get() ?? {})[0]
}
