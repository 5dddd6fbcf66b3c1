import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../src/storage/database.ts'
import { isStoreUnavailable } from '../../src/storage/outages/store-unavailable.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { retryUntilSuccess } from '../support/retry-until-success.ts'
import { startScript } from '../support/script-process.ts'
import { createBlankStore, storeKinds } from '../support/test-store.ts'
import { addItem, listNames, withItems } from './items.ts'

const script = new URL('./write-until-killed.ts', import.meta.url)
const writersCount = 1_000

for (const kind of storeKinds) {
  test(`${kind}: acknowledged writes survive a kill -9 of the process`, async (t) => {
    const store = await createBlankStore(t, kind)
    const db = await store.open(withItems)
    for (const prefix of ['first', 'second', 'third']) {
      const writer = startScript(t, script, { place: store.place, prefix, writersCount })
      const acknowledged: string[] = []
      while (acknowledged.length < writersCount * 2) {
        acknowledged.push((await writer.nextLine()) ?? assert.fail('The writer ended.'))
      }
      writer.kill()
      acknowledged.push(...(await writer.remainingLines()))

      const stored = new Set(await db.run(listNames()))
      assert.deepEqual(
        acknowledged.filter((name) => !stored.has(name)),
        [],
      )
    }
  })
}

test('postgres: acknowledged writes survive repeated kill -9 of the server', async (t) => {
  const server = await startPostgres('deadlock_timeout=1s')
  const store = await createBlankStore(t, 'postgres', server)
  const db = await store.open(withItems)
  const acknowledged: string[] = []
  for (const prefix of ['first', 'second', 'third']) {
    const enough = Promise.withResolvers<void>()
    const writing = Array.from({ length: writersCount }, (_, writer) =>
      writeUntilUnavailable(db, `${prefix}-${writer}`, (name) => {
        if (acknowledged.push(name) % 500 === 0) enough.resolve()
      }),
    )
    await enough.promise
    await server.kill()
    await Promise.all(writing)
    await server.start()

    const stored = new Set(await retryUntilSuccess(() => db.run(listNames())))
    assert.deepEqual(
      acknowledged.filter((name) => !stored.has(name)),
      [],
    )
  }
})

async function writeUntilUnavailable(
  db: Database,
  prefix: string,
  onStored: (name: string) => void,
): Promise<void> {
  try {
    for (let index = 0; ; index++) {
      await db.run(addItem(`${prefix}-${index}`))
      onStored(`${prefix}-${index}`)
    }
  } catch (error) {
    assert(isStoreUnavailable(error), String(error))
  }
}
