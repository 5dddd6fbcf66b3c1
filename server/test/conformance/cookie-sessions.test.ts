import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newCookieSession } from '../../src/domain/scrape/cookie-session.ts'
import { createSealer } from '../../src/runtime/crypto/seal.ts'
import { script, sql } from '../../src/storage/statement.ts'
import {
  type CookieSessionPlace,
  evictCookieSessions,
  pruneCookieSessions,
  putCookieSession,
  useCookieSession,
} from '../../src/storage/tables/cookie-sessions.ts'
import { startRetention } from '../../src/tasks/upkeep/retention.ts'
import { openTestStore, type StoreKind, silentLog, storeKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'

async function openScene(t: TestContext, kind: StoreKind) {
  const db = await openTestStore(t, kind)
  const sealer = createSealer({ newest: Buffer.alloc(32, 1) })
  await db.run(
    script(`
    insert into accounts (id, username, password_hash, is_enabled, created_at_ms) values ('a', 'a', '', 1, 1);
    insert into accounts (id, username, password_hash, is_enabled, created_at_ms) values ('b', 'b', '', 1, 1);`),
  )
  const put = (place: CookieSessionPlace, nowMs: number, label = 'berlin') => {
    const session = { ...newCookieSession, proxy: { label, session: 's' } }
    return db.run(putCookieSession(sealer, place, { session, nowMs }))
  }
  const use = async (place: CookieSessionPlace, nowMs: number, usedSinceMs: number) =>
    (await db.run(useCookieSession(sealer, place, { nowMs, usedSinceMs })))[0]
  const list = async () => {
    const rows = await db.run(
      sql<{ text: string }>`select account_id || name as text from sessions order by 1`,
    )
    return rows.map(({ text }) => text)
  }
  return { db, put, use, list }
}

for (const kind of storeKinds) {
  test(`${kind}: a session is of its account and name, and its last write wins`, async (t) => {
    const { put, use } = await openScene(t, kind)
    await put({ accountId: 'a', name: '1' }, 100)
    await put({ accountId: 'b', name: '1' }, 100, 'paris')
    await put({ accountId: 'a', name: '1' }, 100, 'rome')

    assert.equal((await use({ accountId: 'a', name: '1' }, 100, 0))?.proxy?.label, 'rome')
    assert.equal((await use({ accountId: 'b', name: '1' }, 100, 0))?.proxy?.label, 'paris')
    assert.equal(await use({ accountId: 'a', name: '2' }, 100, 0), undefined)
  })

  test(`${kind}: a session expires after its last use, and every use is one`, async (t) => {
    const { put, use } = await openScene(t, kind)
    const place = { accountId: 'a', name: '1' }
    await put(place, 100)

    assert.ok(await use(place, 150, 100))
    assert.ok(await use(place, 160, 150))
    assert.equal(await use(place, 300, 161), undefined)
    await put(place, 300)
    assert.ok(await use(place, 301, 300))
  })

  test(`${kind}: sessions that nobody used are removed, a batch at a time`, async (t) => {
    const { db, put, list } = await openScene(t, kind)
    for (const name of ['1', '2', '3']) await put({ accountId: 'a', name }, Number(name))
    await put({ accountId: 'b', name: '1' }, 4)

    const limits = { usedBeforeMs: 4, sessionsMax: 2 }
    const removed = [
      await db.run(pruneCookieSessions(limits)),
      await db.run(pruneCookieSessions(limits)),
    ]

    assert.deepEqual(
      removed.map((rows) => rows.length),
      [2, 1],
    )
    assert.deepEqual(await list(), ['b1'])
  })

  test(`${kind}: retention removes the sessions that were unused for 30 minutes`, async (t) => {
    const { db, put, list } = await openScene(t, kind)
    const nowMs = db.nowMs()
    await put({ accountId: 'a', name: 'old' }, nowMs - 31 * 60_000)
    await put({ accountId: 'a', name: 'young' }, nowMs - 29 * 60_000)
    const long = 1e12
    const kept = { resultsMs: long, tasksMs: long, idempotencyMs: long, statisticsMs: long }

    await using _ = startRetention({ db, log: silentLog, kept, sweepIntervalMs: 20 })
    await until(async () => (await list()).length < 2)

    assert.deepEqual(await list(), ['ayoung'])
  })

  test(`${kind}: an account keeps so many sessions, the last used`, async (t) => {
    const { db, put, list } = await openScene(t, kind)
    for (const name of ['1', '2', '3', '4']) await put({ accountId: 'a', name }, Number(name))
    await put({ accountId: 'b', name: '1' }, 1)

    await db.run(evictCookieSessions({ accountId: 'a', keptMax: 2 }))

    assert.deepEqual(await list(), ['a3', 'a4', 'b1'])
  })
}
