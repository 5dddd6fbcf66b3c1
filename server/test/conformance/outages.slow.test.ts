import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { Failure } from '../../src/domain/failure.ts'
import { type Database, pingDeadlineMs } from '../../src/storage/database.ts'
import { isStoreUnavailable } from '../../src/storage/outages/store-unavailable.ts'
import { notify, script, sql } from '../../src/storage/statement.ts'
import { isOverBefore } from '../support/is-over-before.ts'
import { retryUntilSuccess } from '../support/retry-until-success.ts'
import { startScript } from '../support/script-process.ts'
import { startFastPostgres } from '../support/shared-postgres.ts'
import { startStallingProxy } from '../support/stalling-proxy.ts'
import {
  createBlankStore,
  openBlankStore,
  type StoreKind,
  storeKinds,
} from '../support/test-store.ts'
import { addContent, addItem, listNames, withItems } from './items.ts'

const slowStatements: Record<StoreKind, () => ReturnType<typeof sql>> = {
  sqlite: () => sql`
    with recursive counted(n) as (
      select 1 union all select n + 1 from counted where n < 4000000
    )
    select max(n) as n from counted`,
  postgres: () => sql`select pg_sleep(2)`,
}

for (const kind of storeKinds) {
  test(`${kind}: a call that times out fails, and later calls work`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)

    await assert.rejects(db.run(slowStatements[kind](), { deadlineMs: 100 }), isStoreUnavailable)
    await retryUntilSuccess(() => db.run(addItem('afterwards')))

    assert.deepEqual(await db.run(listNames()), ['afterwards'])
  })

  test(`${kind}: a call on a closed store fails with an error that says so`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)
    await db[Symbol.asyncDispose]()

    await assert.rejects(db.run(listNames()), isStoreUnavailable)
    await assert.rejects(db.ping(), isStoreUnavailable)
  })

  test(`${kind}: closing a store waits for the calls made before`, async (t) => {
    const store = await createBlankStore(t, kind)
    const db = await store.open(withItems)
    const written = db.run(addItem('a'))

    await db[Symbol.asyncDispose]()

    assert.deepEqual(await written, [{ name: 'a' }])
    assert.deepEqual(await (await store.open(withItems)).run(listNames()), ['a'])
  })
}

/** A store with no space left: SQLite at its page limit, PostgreSQL with the error it has for it. */
const writeBeyondSpace: Record<StoreKind, (db: Database) => Promise<unknown>> = {
  sqlite: async (db) => {
    await db.run(sql`pragma max_page_count = 1`)
    return await db.run(addContent('large', Buffer.alloc(1024 * 1024)))
  },
  postgres: (db) =>
    db.run(script(`do $$ begin raise exception 'no space' using errcode = '53100'; end $$`)),
}

for (const kind of storeKinds) {
  test(`${kind}: writes to a store without space fail with STORE_FULL, and reads work`, async (t) => {
    const db = await openBlankStore(t, kind, withItems)
    await db.run(addItem('before'))

    await assert.rejects(writeBeyondSpace[kind](db), (error: unknown) => {
      assert.ok(error instanceof Failure && isStoreUnavailable(error))
      assert.equal(error.code, 'STORE_FULL')
      return true
    })

    assert.deepEqual(await db.run(listNames()), ['before'])
  })
}

test('sqlite: every caller of a group commit without space fails with STORE_FULL', async (t) => {
  const db = await openBlankStore(t, 'sqlite', withItems)
  await db.run(sql`pragma max_page_count = 1`)

  const large = Buffer.alloc(1024 * 1024)
  const writes = await Promise.allSettled([
    ...['a', 'b', 'c'].map((name) => db.run(addItem(name))),
    db.run(addContent('large', large)),
    ...['d', 'e', 'f'].map((name) => db.run(addItem(name))),
  ])

  const written = await db.run(listNames())
  const lost = writes.filter((write) => write.status === 'rejected')
  assert.equal(lost.length + written.length, writes.length)
  assert.ok(lost.length > 0)
  for (const { reason } of lost) assert.equal((reason as Failure).code, 'STORE_FULL')
})

test('sqlite: reads beside writes without space have what is stored, and nothing that was lost', async (t) => {
  const db = await openBlankStore(t, 'sqlite', withItems)
  await db.run(addItem('before'))
  await db.run(sql`pragma max_page_count = 1`)
  const large = Buffer.alloc(1024 * 1024)
  const writes = () =>
    [addItem('a'), addContent('large', large), addItem('b')].map((write) =>
      db.run(write).catch(() => undefined),
    )

  // All of them are one group.
  const first = writes()
  const single = db.run(listNames())
  const together = db.transaction([listNames(), listNames()])
  await Promise.all([...first, ...writes()])

  const stored = new Set(await db.run(listNames()))
  for (const names of [await single, ...(await together)]) {
    assert.ok(names.includes('before'))
    assert.deepEqual(
      names.filter((name) => !stored.has(name)),
      [],
    )
  }
})

test('sqlite: a call that timed out while it waited for the thread is not run later', async (t) => {
  const db = await openBlankStore(t, 'sqlite', withItems)

  // On a busy machine it takes longer than calls usually may.
  const slow = db.run(slowStatements.sqlite(), { deadlineMs: 120_000 })
  await new Promise((resolve) => setImmediate(resolve))
  await assert.rejects(db.run(addItem('late'), { deadlineMs: 100 }), isStoreUnavailable)
  await slow

  assert.deepEqual(await db.run(listNames()), [])
})

test('sqlite: two processes can write to one file at the same time', async (t) => {
  const store = await createBlankStore(t, 'sqlite')
  const db = await store.open(withItems)
  const writer = new URL('./write-until-killed.ts', import.meta.url)
  const load = { place: store.place, writersCount: 20, itemsMax: 50 }

  const written = await Promise.all(
    ['left', 'right'].map((prefix) => startScript(t, writer, { ...load, prefix }).remainingLines()),
  )

  assert.deepEqual(
    written.map(({ length }) => length),
    [1_000, 1_000],
  )
  assert.deepEqual(await db.run(listNames()), written.flat().sort())
})

test('sqlite: a writer that waits too long for the lock fails, readers do not wait', async (t) => {
  const store = await createBlankStore(t, 'sqlite')
  const db = await store.open(withItems)
  const holder = startScript(t, new URL('./hold-write-lock.ts', import.meta.url), {
    file: join(store.place.dataDir, 'trawl.db'),
  })
  assert.equal(await holder.nextLine(), 'held')

  const answers = await Promise.allSettled([
    ...Array.from({ length: 50 }, (_, index) => db.run(addItem(`n${index}`))),
    db.run(listNames()),
  ])
  holder.writeLine('release')
  assert.equal(await holder.nextLine(), 'released')
  await db.run(addItem('afterwards'))

  const last = answers.pop()
  assert.deepEqual(last, { status: 'fulfilled', value: [] })
  assert(
    answers.every((answer) => answer.status === 'rejected' && isStoreUnavailable(answer.reason)),
  )
  assert.deepEqual(await db.run(listNames()), ['afterwards'])
})

test('sqlite: on a full disk no failed write is acknowledged, and writes work once there is space', async (t) => {
  const db = await openBlankStore(t, 'sqlite', withItems)
  const [size] = await db.run(sql<{ pages: number }>`
    select page_count as pages from pragma_page_count`)
  await db.run(script(`pragma max_page_count = ${(size?.pages ?? 0) + 20}`))
  const page = new Uint8Array(9_000)
  const names = Array.from({ length: 100 }, (_, index) => `n${String(index).padStart(3, '0')}`)

  const answers = await Promise.allSettled(
    names.map((name, index) =>
      index % 3
        ? db.run(addItem(name))
        : db.transaction([addContent(name, page), addItem(`${name}x`)]),
    ),
  )
  const failed = answers.filter((answer) => answer.status === 'rejected')
  const told = names.filter((_, index) => answers[index]?.status === 'fulfilled')
  const stored = await db.run(listNames())
  await db.run(script('pragma max_page_count = 1000000'))
  await db.run(addContent('afterwards', page))

  assert(failed.length > 0)
  assert(failed.every(({ reason }) => isStoreUnavailable(reason)))
  assert.deepEqual(
    stored.filter((name) => !name.endsWith('x')),
    told,
  )
})

test('sqlite: when a group commit fails, every caller of the group gets the error', async (t) => {
  const db = await openBlankStore(t, 'sqlite', withItems)
  // A deferred constraint is the one way to make a commit fail on demand.
  await db.run(
    script('create table late (item text references items (name) deferrable initially deferred)'),
  )

  const answers = await Promise.allSettled([
    db.run(listNames()),
    db.run(addItem('a')),
    db.run(sql`insert into late (item) values ('nobody')`),
    db.transaction([addItem('b'), addItem('c')]),
  ])
  await db.run(addItem('afterwards'))

  assert.deepEqual(answers.shift(), { status: 'fulfilled', value: [] })
  assert(
    answers.every((answer) => answer.status === 'rejected' && isStoreUnavailable(answer.reason)),
  )
  assert.deepEqual(await db.run(listNames()), ['afterwards'])
})

test('sqlite: a dead database thread fails its callers and is restarted', async (t) => {
  const started = Promise.withResolvers<Worker>()
  process.once('worker', started.resolve)
  const db = await openBlankStore(t, 'sqlite', withItems)
  const thread = await started.promise
  await db.run(addItem('before'))

  const slow = db.run(slowStatements.sqlite())
  setImmediate(() => void thread.terminate())
  // On a busy machine the caller may have run out of time before the thread is gone.
  await Promise.all([assert.rejects(slow, isStoreUnavailable), once(thread, 'exit')])
  await db.run(addItem('afterwards'))

  assert.deepEqual(await db.run(listNames()), ['afterwards', 'before'])
})

test('sqlite: a file that became unreadable is reopened once it is readable', async (t) => {
  const started = Promise.withResolvers<Worker>()
  process.once('worker', started.resolve)
  const store = await createBlankStore(t, 'sqlite')
  const db = await store.open(withItems)
  await db.run(addItem('before'))
  await (await started.promise).terminate()
  const file = join(store.place.dataDir, 'trawl.db')

  await rename(file, `${file}.away`)
  await writeFile(file, 'garbage '.repeat(1_000))
  await assert.rejects(db.run(listNames()), isStoreUnavailable)
  await assert.rejects(db.run(addItem('during')), isStoreUnavailable)
  await rename(`${file}.away`, file)

  assert.deepEqual(await db.run(listNames()), ['before'])
})

test('postgres: the client reconnects after the server was stopped and started', async (t) => {
  const server = await startFastPostgres()
  const store = await createBlankStore(t, 'postgres', server)
  const db = await store.open(withItems)
  const heard = Promise.withResolvers<string>()
  using subscription = db.listen('hello', heard.resolve)
  await subscription.whenActive
  await db.run(addItem('before'))

  await server.stop()
  await assert.rejects(db.run(addItem('during')), isStoreUnavailable)
  await assert.rejects(db.ping(), isStoreUnavailable)
  await server.start()
  await retryUntilSuccess(() => db.run(addItem('afterwards')))
  await notifyUntilHeard(db, heard.promise)

  assert.deepEqual(await db.run(listNames()), ['afterwards', 'before'])
})

test('postgres: a server that stops responding is detected within a second, and so is its return', async (t) => {
  const store = await createBlankStore(t, 'postgres')
  const url = new URL(store.place.url ?? '')
  await using proxy = await startStallingProxy(Number(url.port))
  url.port = String(proxy.port)
  await using db = await store.open({ ...withItems, url: url.href })
  await db.run(addItem('before'))

  proxy.stall()
  const noticed = assert.rejects(db.ping(), isStoreUnavailable)
  const isNoticedSoon = await isOverBefore(noticed, 2 * pingDeadlineMs)
  await noticed
  await assert.rejects(db.run(addItem('during'), { deadlineMs: 100 }), isStoreUnavailable)
  proxy.resume()
  await retryUntilSuccess(() => db.run(addItem('afterwards')))

  assert(isNoticedSoon)
  assert((await db.run(listNames())).includes('afterwards'))
})

test('postgres: a store can be closed while the server does not respond', async (t) => {
  const store = await createBlankStore(t, 'postgres')
  const url = new URL(store.place.url ?? '')
  await using proxy = await startStallingProxy(Number(url.port))
  url.port = String(proxy.port)
  const db = await store.open({ ...withItems, url: url.href })
  await db.run(addItem('before'))

  proxy.stall()
  await assert.rejects(db.ping(), isStoreUnavailable)
  const closed = db[Symbol.asyncDispose]()
  const alive = Promise.withResolvers<string>()
  setTimeout(() => alive.resolve('the event loop goes round'), 100)

  assert.equal(await alive.promise, 'the event loop goes round')
  proxy.resume()
  await closed
})

test('postgres: callers with long timeouts fail early when the server stops responding', async (t) => {
  const server = await startFastPostgres()
  const store = await createBlankStore(t, 'postgres', server)
  const db = await store.open(withItems)
  const heard = Promise.withResolvers<string>()
  using subscription = db.listen('hello', heard.resolve)
  await subscription.whenActive
  const patience = { deadlineMs: 60_000 }
  const names = Array.from({ length: 50 }, (_, index) => `n${index}`)

  await server.pause()
  const told = Promise.allSettled(names.map((name) => db.run(addItem(name), patience)))
  const areToldSoon = await isOverBefore(told, 10 * pingDeadlineMs)
  const answers = await told
  await assert.rejects(db.run(addItem('refused at once'), patience), isStoreUnavailable)
  await assert.rejects(db.ping(), isStoreUnavailable)
  await server.resume()
  await retryUntilSuccess(() => db.run(addItem('afterwards')))
  await notifyUntilHeard(db, heard.promise)

  assert(
    answers.every((answer) => answer.status === 'rejected' && isStoreUnavailable(answer.reason)),
  )
  assert(areToldSoon)
  const stored = await db.run(listNames())
  assert(stored.includes('afterwards'))
  assert(!stored.includes('refused at once'))
})

test('postgres: a slow query is not an outage for its caller or for others', async (t) => {
  const db = await openBlankStore(t, 'postgres', withItems)

  const slow = Array.from({ length: 10 }, () => db.run(sql`select pg_sleep(3)`))
  // Every connection is in use, so this one waits as long as they do.
  const behind = db.run(addItem('behind'))

  assert.equal((await Promise.all(slow)).length, 10)
  assert.deepEqual(await behind, [{ name: 'behind' }])
})

test('postgres: connections that the server closes are replaced', async (t) => {
  const db = await openBlankStore(t, 'postgres', withItems)
  await Promise.all(Array.from({ length: 20 }, (_, index) => db.run(addItem(`n${index}`))))

  await assert.rejects(
    db.run(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database()`),
    isStoreUnavailable,
  )
  const names = await retryUntilSuccess(() => db.run(listNames()))

  assert.equal(names.length, 20)
})

test('postgres: a store on a read-only server cannot be opened', async (t) => {
  const store = await createBlankStore(t, 'postgres')
  await store.open(withItems)
  const url = `${store.place.url}?options=-c%20default_transaction_read_only%3Don`

  await assert.rejects(store.open({ ...withItems, url, patienceMs: 0 }), /read-only/)
})

/** The listening connection comes back by itself; until then notices are lost. */
async function notifyUntilHeard(db: Database, heard: Promise<string>): Promise<void> {
  let isHeard = false
  void heard.then(() => {
    isHeard = true
  })
  while (!isHeard) await db.run(notify('hello', 'again'))
}
