import assert from 'node:assert/strict'
import { copyFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isStoreUnavailable } from '../../src/storage/outages/store-unavailable.ts'
import { createBlankStore } from '../support/test-store.ts'
import { addItem, listNames, withItems } from './items.ts'

const losses: Record<string, (file: string) => Promise<unknown>> = {
  deleted: (file) => rm(file),
  moved: (file) => rename(file, `${file}.away`),
  'replaced by a copy': async (file) => {
    await copyFile(file, `${file}.copy`)
    await rename(`${file}.copy`, file)
  },
  'left without its write-ahead log': (file) => rm(`${file}-wal`),
}
for (const [how, lose] of Object.entries(losses)) {
  test(`the first slow read of a store whose file was ${how} is refused`, async (t) => {
    const { db, file } = await openWithItem(t)

    await lose(file)

    await assert.rejects(db.run(listNames().slow()), isStoreUnavailable)
    assert.match(db.refusal()?.message ?? '', /file of the store was deleted or replaced/)
  })

  test(`a store whose file was ${how} is refused for reads and writes, in words`, async (t) => {
    const { db, file } = await openWithItem(t)
    await db.run(listNames().slow())

    await lose(file)

    for (const call of [
      () => db.run(addItem('lost')),
      () => db.run(listNames()),
      () => db.run(listNames().slow()),
      () => db.ping(),
    ]) {
      await assert.rejects(call(), (error) => {
        assert.ok(isStoreUnavailable(error))
        assert.match(error.message, /file of the store was deleted or replaced/)
        assert.ok(!error.message.includes(file))
        assert.ok(error.cause instanceof Error && error.cause.message.includes(file))
        return true
      })
    }
  })
}

test('a store works again once its own file is back in its place', async (t) => {
  const { db, file } = await openWithItem(t)
  await rename(file, `${file}.away`)
  await assert.rejects(db.run(addItem('lost')), isStoreUnavailable)

  await rename(`${file}.away`, file)

  await db.run(addItem('kept'))
  assert.deepEqual(await db.run(listNames()), ['before', 'kept'])
  assert.deepEqual(await db.run(listNames().slow()), ['before', 'kept'])
})

async function openWithItem(t: TestContext) {
  const store = await createBlankStore(t, 'sqlite')
  const db = await store.open(withItems)
  await db.run(addItem('before'))
  return { db, file: join(store.place.dataDir, 'trawl.db') }
}
