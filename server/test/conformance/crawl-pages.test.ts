import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createSealer } from '../../src/runtime/crypto/seal.ts'
import { script, sql } from '../../src/storage/statement.ts'
import {
  addPages,
  type CrawlPage,
  choosePage,
  listFound,
  removeFound,
} from '../../src/storage/tables/crawl-pages.ts'
import { onEachTurn } from '../support/each-turn.ts'
import { openTestStore, storeKinds } from '../support/test-store.ts'

const sealer = createSealer({ newest: randomBytes(32) })

const page = (key: string, given: Partial<CrawlPage> = {}): CrawlPage => ({
  jobId: 'job',
  accountId: 'ada',
  key,
  url: `http://a.test/${key}?q="é\\`,
  depth: 2,
  parentPosition: 0,
  linkIndex: 0,
  ...given,
})

/** Keys in another order than the links. */
const manyPages = (count: number): CrawlPage[] =>
  Array.from({ length: count }, (_, linkIndex) =>
    page(`${(linkIndex * 7919) % count}`.padStart(5, '0'), { linkIndex }),
  )

test('postgres: a found page is chosen or forgotten by its key, also before there are statistics', async (t) => {
  const db = await openTestStore(t, 'postgres')
  await db.run(script(insertJob))
  await db.transaction(await addPages(sealer, { found: manyPages(2_000), ends: [] }))

  const chosen = { jobId: 'job', key: '00600', position: 1 }
  for (const statement of [choosePage(chosen), removeFound(chosen)]) {
    const plan = await db.run(sql<Record<string, string>>`explain ${statement}`)
    const text = plan.flatMap(Object.values).join('\n')
    assert.match(text, /crawl_pages_pkey/, text)
  }
})

for (const kind of storeKinds) {
  test(`${kind}: the links of a page are a few statements, and each is a found page once`, async (t) => {
    const db = await openTestStore(t, kind)
    await db.run(script(insertJob))
    const found = manyPages(1_200)
    const end = page('00600', { depth: 1 })

    const statements = await addPages(sealer, { found, ends: [end] })
    await db.transaction(statements)
    await db.transaction(await addPages(sealer, { found, ends: [end] }))

    assert.ok(statements.length <= 5, `There are ${statements.length} statements.`)
    const listed = await db.run(listFound(sealer, { id: 'job', accountId: 'ada' }, 2_000))
    assert.deepEqual(
      listed.map(({ key, url, depth }) => ({ key, url, depth })),
      found
        .filter(({ key }) => key !== end.key)
        .map(({ key, url, depth }) => ({ key, url, depth })),
    )
    const [seen] = await db.run(
      sql`select depth, position from crawl_pages where url_key = ${end.key}`,
    )
    assert.deepEqual(seen, { depth: 1, position: -1 })
  })

  test(`${kind}: a found page keeps the first link to it, whichever page is fetched first`, async (t) => {
    const db = await openTestStore(t, kind)
    await db.run(script(insertJob))
    const places = [
      [10, 2],
      [9, 30],
      [9, 4],
      [11, 0],
    ] as const

    for (const [parentPosition, linkIndex] of places) {
      const found = [page('one', { parentPosition, linkIndex })]
      await db.transaction(await addPages(sealer, { found, ends: [] }))
    }

    assert.deepEqual(await db.run(sql`select parent_position, link_index from crawl_pages`), [
      { parent_position: 9, link_index: 4 },
    ])
  })
}

test('others have their turns while the links of a page are sealed', async (t) => {
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs)
  const slow = {
    ...sealer,
    seal: (secret: string, place: string) => {
      nowMs += 1
      return sealer.seal(secret, place)
    },
  }
  let othersTurns = 0
  onEachTurn(t, () => {
    othersTurns += 1
  })

  await addPages(slow, { found: manyPages(1_000), ends: [] })

  assert.ok(othersTurns >= 400, `There were ${othersTurns} turns in 1000 ms of work.`)
})

const insertJob = `
  insert into accounts (id, username, password_hash, created_at_ms) values ('ada', 'ada', '', 1);
  insert into jobs
    (id, account_id, kind, request, state, total_count, open_count, completed_count, failed_count,
     cancelled_count, tokens, retries, created_at_ms)
  values ('job', 'ada', 'crawl', '{}', 'open', 1, 1, 0, 0, 0, 0, 0, 1)`
